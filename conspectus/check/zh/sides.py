"""A Chinese statement laid beside its evidence."""

from functools import cached_property

from conspectus.check.zh.lexicon import BUT, NUMBER_BASE
from conspectus.check.zh.reading import Reading, Segment, is_number


class Side:
    """A statement and its evidence, both read."""

    def __init__(self, said: Reading, source: Reading, evidence: str = "") -> None:
        self.said = said
        self.source = source
        self.said_chars = frozenset(said.content)
        self.source_chars = frozenset(source.content) | frozenset(source.text) | frozenset(evidence)
        self.said_values = {token.value for token in said.tokens} | {token.value.split()[0] for token in said.tokens}
        # 第二十二条 may be said as 22条.
        self.said_numbers = {token.value for token in said.tokens if token.kind == "number"}

    def has(self, char: str) -> bool:
        """Whether a character or number of the evidence stands in the statement."""
        if is_number(char):
            token = self.source.tokens[ord(char) - NUMBER_BASE]
            if token.kind == "reference" and token.value.strip("第条") in self.said_numbers:
                return True
            return token.value in self.said_values or token.value.split()[0] in self.said_values
        return char in self.said_chars

    def share(self, text: str) -> float:
        """The share of the characters that the statement has; 1 of none."""
        return sum(map(self.has, text)) / len(text) if text else 1.0

    def dropped_groups(self) -> frozenset[int]:
        """The sentences of the evidence, between full stops and semicolons, that the statement leaves out."""
        return self._dropped

    @cached_property
    def _dropped(self) -> frozenset[int]:
        groups: dict[int, list[Segment]] = {}
        for segment in self.source.segments:
            groups.setdefault(segment.group, []).append(segment)
        shares = {
            number: max((self.share(s.content) for s in segments if len(s.content) > 1), default=1.0)
            for number, segments in groups.items()
        }
        totals = {number: self.share("".join(s.content for s in segments)) for number, segments in groups.items()}
        best = max(totals.values(), default=0.0)
        limited = {
            number - 1
            for number, segments in groups.items()
            if segments[0].text.startswith(BUT) and totals[number] > 0.5
        }
        return frozenset(
            number
            for number, segments in groups.items()
            if totals[number] < min(0.62, best)
            and shares[number] < 0.8
            and not segments[0].text.startswith(BUT)
            and not (number in limited and totals[number] > 0.3)
        )
