"""The rows of the duties, references and conflicts tables, and what a period hangs on. Plain data; see document.py."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Formula:
    """A point in time or a length that hangs on an event: `offset` `unit` `direction` `trigger`, never computed.

    `limit` is min ("at least", 以上) or max ("within", "not more than", 内) or empty; `direction` is before, after,
    from, until, notice (so long a notice) or length (nothing said of when it starts); `trigger` are the document's
    own words for the event; `text` says all of it in the document's language.
    """

    offset: str
    unit: str
    direction: str
    trigger: str
    limit: str
    text: str


class Modality(StrEnum):
    """What a duty row says of who: it must, must not, may, or need not."""

    MUST = "must"
    MUST_NOT = "must not"
    MAY = "may"
    NEED_NOT = "need not"


@dataclass(frozen=True, slots=True)
class Duty:
    """One row of the duties table; all cells but `modality` are the document's words, empty where it does not say.

    `who` is "-" where a thing is the subject and no agent is named. `operator` are the words that carry the modality.
    """

    who: str
    modality: Modality
    operator: str
    what: str
    when: str
    condition: str
    exception: str
    sentence: int


class ReferenceState(StrEnum):
    """Where a cross reference leads."""

    RESOLVED = "resolved"
    BROKEN = "broken"  # to a clause or attachment that this document does not have
    EXTERNAL = "external"  # to another document


@dataclass(frozen=True, slots=True)
class Reference:
    """One cross reference: its words, the number it names, the clause it leads to (empty unless resolved)."""

    words: str
    target: str
    state: ReferenceState
    clause_id: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two places of a document that do not agree. `kind` names the rule; `a` and `b` are the words that differ."""

    kind: str
    about: str
    a: str
    b: str
    sentences: tuple[int, int]
