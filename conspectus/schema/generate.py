"""The files made from the models.

python -m conspectus.schema.generate schema > conspectus/schema/digest-2.json
python -m conspectus.schema.generate page > docs/reference/digest-json.md
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from conspectus.schema.models import SCHEMA, DigestFile

_HEAD = f"""# digest.json

Made from the models in `conspectus/schema/models.py` (`python -m conspectus.schema.generate page`); do not edit it.

The format is called `{SCHEMA}`. Its JSON Schema lies in the package: `conspectus/schema/digest-2.json`. A field that is
added, taken away or given another meaning makes a new number; `conspectus verify` names a number that it cannot read.

- Every field is always there; what is not known is an empty text or list.
- `pages` are indexes from 0; `page_labels` are what is printed on those pages.
- Offsets (`spans`, `start`, `end`) count characters (Unicode code points) of the document's text as it was read: pages
  joined by a line feed, running heads and page numbers taken out. The text itself is not in the digest.
- The same document, model, prompts, settings and versions give the same bytes. Times stand in `<name>.run.json`.
- Every object with a `verdict` has `text`, `quote`, `clause`, `pages`.

From Python: `from conspectus.schema import load`; `digest, data = load(Path("lease.pdf.digest.json"))` gives the same
fields as typed attributes. `conspectus verify lease.pdf.digest.json lease.pdf` proves a digest against its document.
"""


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of digest.json."""
    made = DigestFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:conspectus:{SCHEMA}", **made}


def schema_text() -> str:
    """The schema file."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def page() -> str:
    """The reference page: a table for each object, the whole first."""
    made = schema()
    parts = [_HEAD]
    for name, part in {SCHEMA: made, **_in_order(made)}.items():
        parts += _table(name, part, made["$defs"])
    return "\n".join(parts).rstrip() + "\n"


def _in_order(made: dict[str, Any]) -> dict[str, Any]:
    """The objects in the order in which they are first named."""
    found: dict[str, Any] = {}
    waiting = [made]
    while waiting:
        part = waiting.pop(0)
        for name in _named(part.get("properties", {})):
            target = made["$defs"][name]
            if name not in found and "properties" in target:
                found[name] = target
                waiting.append(target)
    return found


def _named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield str(value["$ref"]).rsplit("/", 1)[-1]
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


def _meaning(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """What a field is; where that is just what its object is, pydantic says it there alone."""
    target = definitions.get(str(field.get("$ref", "")).rsplit("/", 1)[-1], {})
    return " ".join(str(field.get("description") or target.get("description", "")).split())


def _table(name: str, part: dict[str, Any], definitions: dict[str, Any]) -> list[str]:
    about = " ".join(part.get("description", "").split())
    rows = [
        f"| `{field}` | {_kind(value)} | {_meaning(value, definitions)} |"
        for field, value in part["properties"].items()
    ]
    return [f"## {name}", "", about, "", "| field | type | meaning |", "|---|---|---|", *rows, ""]


_PLAIN = {"string": "text", "integer": "number", "boolean": "true or false", "null": "null"}
_CHOICES = {
    kind: DigestFile.model_json_schema()["$defs"][kind]["enum"]
    for kind in (
        "ClauseKind",
        "Detail",
        "Language",
        "LedgerState",
        "Modality",
        "PageStatus",
        "ReferenceState",
        "TermKind",
        "Verdict",
    )
}


def _kind(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = str(value["$ref"]).rsplit("/", 1)[-1]
        return _enum(_CHOICES[name]) if name in _CHOICES else f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_kind(one) for one in value["anyOf"])
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return _enum(value["enum"])
    if "prefixItems" in value:
        return "[start, end]"
    if value.get("type") == "array":
        return f"list of {_kind(value['items'])}"
    if "additionalProperties" in value and value["type"] == "object":
        return "text by name"
    return _PLAIN[value["type"]]


def _enum(values: list[str]) -> str:
    return ", ".join(f"`{one}`" for one in values)


if __name__ == "__main__":
    print({"schema": schema_text, "page": page}[sys.argv[1]](), end="")
