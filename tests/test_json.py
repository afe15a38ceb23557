"""digest.json: its schema, its reference page, its bytes there and back."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import digests
import jsonschema
import proofs
import pytest
from documents import source
from fake_model import FakeModel
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline import digest as made_digest

from conspectus.document import Digest
from conspectus.render import RENDERERS, render_all
from conspectus.render.json import as_dict, as_file, render_json
from conspectus.schema import SCHEMA, checksum_of, dump, load, parse
from conspectus.schema.generate import page, schema, schema_text
from conspectus.schema.models import DigestFile
from conspectus.verification.again import rebuilt

ROOT = Path(__file__).parent.parent
NAMES = ("lease.pdf", "act-zh.pdf")
MADE = {"lease": digests.lease, "act": digests.act, "open": lambda: digests.unverified(digests.lease())}


def test_the_schema_file_is_made_from_the_models() -> None:
    path = resources.files("conspectus.schema") / "digest-2.json"
    assert path.read_text("utf-8") == schema_text(), (
        "run: python -m conspectus.schema.generate schema > conspectus/schema/digest-2.json"
    )
    assert json.loads(schema_text())["$id"].endswith(SCHEMA)


def test_the_reference_page_is_made_from_the_models() -> None:
    assert (ROOT / "docs/reference/digest-json.md").read_text("utf-8") == page(), (
        "run: python -m conspectus.schema.generate page > docs/reference/digest-json.md"
    )


def test_each_field_is_described_and_on_the_page() -> None:
    made, told = schema(), page()
    objects = [made, *(part for part in made["$defs"].values() if "properties" in part)]
    assert len(objects) > 15
    for part in objects:
        assert part["additionalProperties"] is False
        assert sorted(part["required"]) == sorted(part["properties"]), "every field is always there"
        for name, field in part["properties"].items():
            target = made["$defs"].get(field.get("$ref", "").rsplit("/", 1)[-1], {})
            assert field.get("description") or target.get("description"), name
            rows = [row for row in told.splitlines() if row.startswith(f"| `{name}` | ")]
            assert rows and not any(row.endswith("|  |") for row in rows)


@pytest.mark.parametrize("name", MADE)
def test_what_is_written_keeps_to_the_schema(name: str) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert not list(validator.iter_errors(json.loads(render_json(MADE[name]()))))
    assert list(validator.iter_errors({"schema": SCHEMA}))


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back_gives_the_same_bytes(name: str) -> None:
    data = proofs.content(name)
    assert dump(parse(data, name)) == data
    assert render_json(proofs.digest(name)) == data


def test_hostile_text_comes_through_and_halves_of_characters_do_not() -> None:
    data = render_json(digests.hostile())
    back = parse(data, "hostile")
    assert dump(back) == data
    assert "<script>" in back.statements[0].text and "\x00" in back.statements[0].text
    assert "\ud800" not in data.decode()


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(blacklist_categories=()), max_size=20), st.sampled_from(["title", "name"]))
def test_any_name_or_title_comes_back(text: str, field: str) -> None:
    made = _small()
    changed = replace(made, document=replace(made.document, **{field: text}))
    back = parse(render_json(changed), "x")
    assert len(getattr(back.document, field)) == len(text)
    assert dump(back) == render_json(changed)


def _small() -> Digest:
    return made_digest(source("1. Rent\nThe Tenant shall pay £5,000 a year."), FakeModel())


def test_the_checksum_is_of_all_but_itself() -> None:
    file = as_file(proofs.digest())
    assert file.checksum == checksum_of(file) != ""
    other = file.model_copy(update={"warnings": (*file.warnings, "x")})
    assert checksum_of(other) != file.checksum
    assert checksum_of(file.model_copy(update={"checksum": "0" * 64})) == file.checksum


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from objects(inner)


@pytest.mark.parametrize("name", NAMES)
def test_what_others_rely_on(name: str) -> None:
    """Each object with a verdict has text, quote, clause and pages; each span is the quote's place in the text."""
    plain, text = as_dict(proofs.digest(name)), proofs.source(name).document.text
    judged = [row for row in objects(plain) if "verdict" in row]
    assert len(judged) > 50
    for row in judged:
        assert row["text"] and row["quote"] and row["clause"] and row["pages"]
        assert len(row["page_labels"]) == len(row["pages"])
    for row in objects(plain):
        for start, end in row.get("spans", ()):
            words = text[start:end].split()
            assert words[0].split("-")[0] in row["quote"]
    assert plain["provenance"]["versions"]["pypdf"] and plain["provenance"]["context"] == 4096
    assert not {"seconds", "time", "times", "date", "started"} & {key for row in objects(plain) for key in row}


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lease.pdf.digest.json"
    path.write_bytes(proofs.content())
    file, data = load(path)
    assert isinstance(file, DigestFile) and data == proofs.content()
    assert file.statements[0].spans[0][0] < file.document.characters


@pytest.mark.parametrize("name", NAMES)
def test_every_format_can_be_made_from_it_and_the_document(name: str) -> None:
    """The one source of all formats: what is rendered from digest.json is what was rendered from the run's digest."""
    made = proofs.digest(name)
    back = rebuilt(parse(proofs.content(name), name), proofs.source(name))
    suffixes = tuple(RENDERERS)
    assert render_all(back, "x.pdf", suffixes) == render_all(made, "x.pdf", suffixes)
