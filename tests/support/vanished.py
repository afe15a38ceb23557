"""What no sentence says: the words of a document outside sentences, numbers and headings."""

from collections.abc import Iterator

from conspectus.document import Source


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def vanished(source: Source) -> Iterator[str]:
    """Words of each clause that are in no sentence's own span and not in the clause's number or heading."""
    text = source.document.text
    own: dict[int, list[tuple[int, int]]] = {}
    for sentence in source.sentences:
        own.setdefault(sentence.clause, []).append((sentence.own.start, sentence.own.end))
    for index, clause in enumerate(source.clauses):
        spans = own.get(index, [])
        first = spans[0][0] if spans else clause.end
        before = _letters(text[clause.start : first])
        if before and before not in (
            _letters(clause.number),
            _letters(clause.heading),
            _letters(clause.number + clause.heading),
        ):
            yield f"{clause.id} {clause.number} {clause.heading}: {before[:80]}"
        at = first
        for start, end in [*spans, (clause.end, clause.end)]:
            if between := _letters(text[at:start]):
                yield f"{clause.id}: {between[:80]}"
            at = max(at, end)
