"""A digest made again from its document and from what the model said, to be compared with the digest field by field.

What is taken from the digest: lines, verdicts, the sentences they rest on, citations, failures. All else (quotes,
pages, clauses, sections, tables, ledger, numbers) follows from the document by code and must come out the same.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conspectus.digesting.assemble import Made, Wish, put_together
from conspectus.digesting.materiality import MATERIAL, materiality
from conspectus.digesting.reduce import Overviews, group
from conspectus.digesting.settle import statement_of
from conspectus.document import (
    Digest,
    LedgerState,
    Level,
    LevelCall,
    OverviewSentence,
    Section,
    Source,
    Statement,
)
from conspectus.llama import ModelInfo
from conspectus.plural import many
from conspectus.render.json import as_file
from conspectus.schema.models import DigestFile, OverviewRow
from conspectus.terms.collect import collect_all
from conspectus.verification.types import Finding, level_lines, overviews

# Compared by other rules, or what only the run knows.
_NOT_DERIVED = ("schema", "checksum", "provenance", "engine_errors")
# By which fields the rows of a list are known; rows of other lists are compared as wholes.
_KEYS = {"ledger": ("clause_id",), "statements": ("id",), "pages": ("index",)}
_SHOWN = 70  # characters of a value in a message


def again(file: DigestFile, source: Source) -> Iterator[Finding]:
    """Where the digest differs from one that is made again from its document."""
    flaws = tuple(_flaws(file, source))
    yield from flaws
    if flaws:
        return
    made = as_file(rebuilt(file, source)).model_dump(mode="json", by_alias=True)
    said = file.model_dump(mode="json", by_alias=True)
    # The file may have been renamed.
    made["document"]["name"] = said["document"]["name"]
    for part in said:
        if part not in _NOT_DERIVED:
            yield from _differences((part,), said[part], made[part])
    yield from _failures(file)


def _flaws(file: DigestFile, source: Source) -> Iterator[Finding]:
    """Numbers that lead nowhere: with them nothing can be made again."""
    count, statements = len(source.sentences), len(file.statements)
    for row in file.statements:
        own = row.sentences
        if not own or list(own) != sorted(set(own)) or own[-1] >= count:
            yield Finding("sentences", f"statement {row.id}", f"rests on sentences {list(own)}, of {count}")
        elif len({source.sentences[index].clause for index in own}) > 1:
            yield Finding("sentences", f"statement {row.id}", "rests on sentences of several clauses")
    for where, sentence in (*overviews(file), *level_lines(file)):
        if any(number >= statements for number in sentence.statements):
            yield Finding("citation", where, "cites a statement that is not there")
    for level in file.levels:
        for call in level.calls:
            if any(number >= statements for number in call.statements):
                yield Finding("citation", f"level {level.name}", "names a statement that is not there")
    order = [row.sentences for row in file.statements]
    if order != sorted(order):
        yield Finding("order", "statements", "are not in the order of the document")
    if len({index for own in order for index in own}) < sum(len(own) for own in order):
        yield Finding("twice", "statements", "two of them rest on one sentence")


def rebuilt(file: DigestFile, source: Source) -> Digest:
    """The digest that a sound file is of, made from the file and its document: any format can be made from it."""
    statements = tuple(
        statement_of(source, row.sentences, row.text, row.verdict, row.refused) for row in file.statements
    )
    told = file.provenance
    levels = tuple(
        Level(
            level.name,
            tuple(
                LevelCall(call.part, call.statements, call.lines, _sentences(call.sentences), call.failure)
                for call in level.calls
            ),
        )
        for level in file.levels
    )
    worded = Overviews(_sections(file, source, statements), _sentences(file.overview), levels)
    # Slots change no digest.
    model = ModelInfo(told.model, told.model_fingerprint, told.context, slots=1)
    made = Made(Wish(told.detail, told.reduce, told.floor), model, told.prompts)
    failed, tables = _failed(file, source, statements), collect_all(source)
    return put_together(source, tables, statements, worded, made, failed, file.engine_errors)


def _sentences(rows: Sequence[OverviewRow]) -> tuple[OverviewSentence, ...]:
    return tuple(OverviewSentence(row.text, row.verdict, row.statements, row.refused) for row in rows)


def _sections(file: DigestFile, source: Source, statements: Sequence[Statement]) -> tuple[Section, ...]:
    """The sections by code, with the overviews that the digest gives them by their place."""
    told = [_sentences(section.overview) for section in file.sections]
    return tuple(
        Section(section.heading, section.clauses, section.statements, told[at] if at < len(told) else ())
        for at, section in enumerate(group(source, statements))
    )


def _failed(file: DigestFile, source: Source, statements: Sequence[Statement]) -> dict[int, str]:
    """Why model calls failed, by sentence, for the clauses that the ledger says so of."""
    reasons = {row.clause_id: row.reason for row in file.ledger if row.state is LedgerState.FAILED}
    said = {index for statement in statements for index in statement.sentences}
    return {
        sentence.index: reasons[source.clauses[sentence.clause].id]
        for sentence in source.sentences
        if source.clauses[sentence.clause].id in reasons
        and sentence.index not in said
        and materiality(sentence.text, source.language) >= MATERIAL
    }


def _failures(file: DigestFile) -> Iterator[Finding]:
    """A clause is failed for a reason that the digest names as a whole."""
    for row in file.ledger:
        if row.state is LedgerState.FAILED and not any(error in row.reason for error in file.engine_errors):
            where = f"ledger, clause {row.number or row.heading or row.clause_id}"
            yield Finding("ledger", where, f"is said to have failed ({row.reason}), but no such failure is named")


def _differences(path: tuple[str, ...], said: object, made: object) -> Iterator[Finding]:
    """What differs between two pieces of JSON, `path` leading to both."""
    if isinstance(said, dict) and isinstance(made, dict):
        for name in {**said, **made}:
            yield from _differences((*path, name), said.get(name), made.get(name))
    elif (ours := _rows(said)) and (theirs := _rows(made)):
        yield from _row_differences(path, ours, theirs)
    elif said != made:
        what = f"{path[-1].replace('_', ' ')} is {_short(said)}; by the document it is {_short(made)}"
        yield Finding(path[0].replace("_", "-"), _where(path), what)


def _rows(value: object) -> list[dict[str, Any]]:
    """The value where it is a list of objects; else an empty list."""
    return value if isinstance(value, list) and all(isinstance(item, dict) for item in value) else []


def _row_differences(
    path: tuple[str, ...], said: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any]]
) -> Iterator[Finding]:
    keys = _KEYS.get(path[-1])
    if keys is None and len(said) == len(made):
        for at, (one, other) in enumerate(zip(said, made, strict=True), 1):
            yield from _differences((*path, _name(path[-1], one, at)), one, other)
        return
    ours, theirs = _by_key(said, keys), _by_key(made, keys)
    where, code = _where((*path, "")), path[0].replace("_", "-")
    if len(ours) < len(said):
        yield Finding(code, where, f"{many(len(said) - len(ours), 'row stands', 'rows stand')} there twice")
    for key in [key for key in theirs if key not in ours]:
        yield Finding(code, where, f"a row is missing: {_told(path[-1], theirs[key])}")
    for key, row in ours.items():
        if key not in theirs:
            yield Finding(code, where, f"a row is there that the document does not give: {_told(path[-1], row)}")
        elif keys is not None:
            yield from _differences((*path, _name(path[-1], row, 0)), row, theirs[key])
    if list(ours) != list(theirs) and set(ours) == set(theirs):
        yield Finding(code, where, "its rows are not in the order of the document")


def _by_key(rows: Sequence[Mapping[str, Any]], keys: tuple[str, ...] | None) -> dict[str, Mapping[str, Any]]:
    return {
        json.dumps([row[key] for key in keys] if keys else row, ensure_ascii=False, sort_keys=True): row for row in rows
    }


def _name(kind: str, row: Mapping[str, Any], at: int) -> str:
    """What a row is called in a message."""
    if kind == "statements":
        return f"statement {row['id']} ({row['clause']}, p. {', '.join(row['page_labels'])})"
    if kind == "ledger":
        return f"clause {row['number'] or row['heading'] or row['clause_id']}"
    if kind == "pages":
        return f"page {row['label']}"
    if "clause" in row:
        return f"row {at} ({row['clause']}, p. {', '.join(row['page_labels'])})"
    return f"{row['heading']!r}" if row.get("heading") else f"row {at}"


def _told(kind: str, row: Mapping[str, Any]) -> str:
    """A whole row in few words."""
    if kind in ("statements", "ledger", "pages"):
        return _name(kind, row, 0)
    words = next((row[name] for name in ("text", "what", "words", "about", "heading", "name") if row.get(name)), row)
    return f"{_short(words)} ({row['clause']})" if row.get("clause") else _short(words)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _where(path: tuple[str, ...]) -> str:
    """The place of a difference: the part, and the row where there is one."""
    names = [name.replace("_", " ") for name in path[:-1] if name]
    return ", ".join(names[-2:]) if names else "digest"
