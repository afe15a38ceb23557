"""Why a statement is refused."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a statement was refused. The value is stable: it is stored, counted and shown."""

    EMPTY = "empty"
    CUT_OFF = "cut-off"
    ECHO = "echo"
    LOOP = "loop"
    LANGUAGE = "language"
    LONGER = "longer-than-evidence"
    NUMBER = "number-not-in-evidence"
    NAME = "name-not-in-evidence"
    NEGATION = "negation-changed"
    MODALITY = "modality-changed"
    CONDITION = "condition-lost"
    CONJUNCTION = "and-or-changed"
    LIMIT = "limit-changed"
    QUALIFIER = "qualifier-lost"
    DIRECTION = "parties-reversed"
    OFF_TOPIC = "not-about-evidence"
    NEIGHBOUR = "fits-another-sentence"
    FUSED = "mixes-sentences"
    REPEATED = "repeats-another-line"
    COPIED = "copied"
    REASONING = "reasoning-only"
