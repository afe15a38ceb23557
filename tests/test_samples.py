"""The sample documents are what their facts files and their script say."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

DATA = Path(__file__).resolve().parent.parent / "data"
sys.path.insert(0, str(DATA))  # the script is no part of the package: it runs from its own folder
import make_samples  # noqa: E402
import sample_layout  # noqa: E402

PAGES = {"lease": range(12, 16), "regulation": range(10, 15), "act-zh": range(8, 13)}
FACTS = {"lease": 45, "regulation": 40, "act-zh": 40}
CORE = {"amount", "percentage", "duration", "obligation", "prohibition", "right", "exception", "definition", "penalty"}
KINDS = {
    "lease": CORE | {"party", "date", "termination", "governing_law"},
    "regulation": CORE | {"party", "date", "commencement", "repeal"},
    "act-zh": CORE | {"party", "date", "commencement", "repeal"},
}
LINE_START = {"lease": r"\d+\.\d+(?= )", "regulation": r"\d+(?=\. )", "act-zh": r"第[一二三四五六七八九十]+条(?=　)"}


@pytest.fixture(scope="module", params=make_samples.SAMPLES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def about(name: str) -> dict[str, Any]:
    return json.loads((DATA / f"{name}.facts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def texts(name: str, about: dict[str, Any]) -> list[str]:
    return make_samples.body_texts(PdfReader(DATA / f"{name}.pdf"), about["running_head"])


@pytest.fixture(scope="module")
def made(name: str) -> tuple[bytes, dict[str, Any]]:
    try:
        fonts = sample_layout.find_fonts(None) if name == "act-zh" else {}
    except FileNotFoundError as error:
        pytest.skip(f"missing: {error}")
    return make_samples.make(name, fonts)


def plain(text: str, about: dict[str, Any]) -> str:
    return "".join(text.split()) if about["language"] == "zh" else " ".join(text.split())


def test_page_count(name: str, about: dict[str, Any], texts: list[str]) -> None:
    assert len(texts) == about["pages"] == len(about["page_labels"])
    assert len(texts) in PAGES[name]
    assert (DATA / f"{name}.pdf").stat().st_size < 300_000


def test_every_page_has_text(texts: list[str]) -> None:
    assert all(len(text) > 30 for text in texts)
    assert not any(re.search(r"[\0\ufffd\ue000-\uf8ff]", text) for text in texts)


def test_every_quotation_stands_on_its_page(about: dict[str, Any], texts: list[str]) -> None:
    for fact in about["facts"]:
        end = fact.get("page_end", fact["page"])
        assert fact["quote"] in plain("\n".join(texts[fact["page"] - 1 : end]), about), fact["id"]


def test_every_quotation_stands_in_its_clause(name: str, about: dict[str, Any], texts: list[str]) -> None:
    lines = "\n".join(texts[2 if name != "lease" else 0 :]).splitlines()  # past the table of contents
    for fact in about["facts"]:
        if fact["clause"] not in about["clauses"] or "SCHEDULE" in fact["within"][0]:
            continue
        start = next(i for i, line in enumerate(lines) if starts(line, fact["clause"], name))
        following = about["clauses"][about["clauses"].index(fact["clause"]) + 1 :][:1]
        ends = [i for i, line in enumerate(lines) if i > start and following and starts(line, following[0], name)]
        assert fact["quote"] in plain("\n".join(lines[start : ends[0] if ends else None]), about), fact["id"]


def starts(line: str, clause: str, name: str) -> bool:
    found = re.match(LINE_START[name], line)
    return bool(found) and found[0] == clause


def test_clauses_stand_at_line_starts_in_order(name: str, about: dict[str, Any], texts: list[str]) -> None:
    found = [m[0] for text in texts for line in text.splitlines() if (m := re.match(LINE_START[name], line))]
    waiting = iter(found)
    # A cross reference may come to stand at the start of a line too, so other numbers may lie between.
    assert [clause for clause in about["clauses"] if clause in waiting] == about["clauses"]
    assert len(about["clauses"]) == len(set(about["clauses"]))
    assert set(found) == set(about["clauses"])


def test_headings_stand_on_their_pages(about: dict[str, Any], texts: list[str]) -> None:
    for heading in about["headings"]:
        assert plain(heading["text"], about) in plain(texts[heading["page"] - 1], about)


def test_facts_are_complete(name: str, about: dict[str, Any]) -> None:
    facts = about["facts"]
    assert len(facts) >= FACTS[name]
    assert len({fact["id"] for fact in facts}) == len(facts)
    assert {fact["kind"] for fact in facts} >= KINDS[name]
    for fact in facts:
        assert fact["must_contain"]
        assert fact["text"].strip()
        if fact["kind"] in ("obligation", "prohibition") and "who" in fact:
            assert fact["modality"]


def test_facts_say_what_their_quotation_says(about: dict[str, Any]) -> None:
    for fact in about["facts"]:
        for wanted in fact["must_contain"]:
            assert make_samples.states(fact["quote"], wanted), (fact["id"], wanted)
            assert make_samples.states(fact["text"], wanted), (fact["id"], wanted)


def test_a_part_of_a_number_is_not_the_number() -> None:
    assert make_samples.states("within 5 days", "five|5")
    assert not make_samples.states("within 15 days, or sixty", "six|5")
    assert not make_samples.states("£1,200,000", "£1,200")
    assert not make_samples.states("十三年", "三年")


def test_regulation_has_roman_front_pages() -> None:
    labels = PdfReader(DATA / "regulation.pdf").page_labels
    assert labels[:3] == ["i", "ii", "1"]


def test_script_makes_the_same_facts_and_text(
    name: str, made: tuple[bytes, dict[str, Any]], about: dict[str, Any]
) -> None:
    of_bytes = {"sha256", "made_with"}
    assert {k: v for k, v in made[1].items() if k not in of_bytes} == {
        k: v for k, v in about.items() if k not in of_bytes
    }


def test_script_makes_the_same_bytes(name: str, made: tuple[bytes, dict[str, Any]], about: dict[str, Any]) -> None:
    if made[1]["made_with"] != about["made_with"]:
        pytest.skip(f"made with {about['made_with']}; here is {made[1]['made_with']}")
    assert made[0] == (DATA / f"{name}.pdf").read_bytes()


def test_missing_font_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="fonts-noto-cjk"):
        sample_layout.find_fonts(tmp_path)


def test_a_fact_that_is_not_in_the_document_is_refused() -> None:
    note = {"wrong": {"quote": "The Tenant shall fly.", "must_contain": ["fly"]}}
    with pytest.raises(make_samples.FactError, match="wrong"):
        make_samples.locate(note, sample_layout.parse("1.1 The Tenant shall pay."), ["The Tenant shall pay."], False)
