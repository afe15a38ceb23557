"""`conspectus verify`: a sound digest holds; whatever is changed by hand is said."""

import json
import re
from pathlib import Path
from typing import Any

import pipeline
import proofs
import pytest
from documents import document
from fake_model import FakeModel, answer, lines_of
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import Edit, edited, first

from conspectus.cli import main as cli
from conspectus.document import Detail, Verdict
from conspectus.errors import ExitCode
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.llama import Completion, Request
from conspectus.pdf import read_pdf
from conspectus.render.json import as_file, render_json
from conspectus.schema import parse
from conspectus.verification.check import WORTH_A_PROCESS, Judging, claims, judge
from conspectus.verification.file import verify
from conspectus.verification.lines import stands

Row = dict[str, Any]


def run(tmp_path: Path, data: bytes, pdf: Path = proofs.LEASE, *more: str) -> int:
    path = tmp_path / "lease.pdf.digest.json"
    path.write_bytes(data)
    return cli.run(["verify", str(path), str(pdf), "-q", *more])


@pytest.mark.parametrize("name", ["lease.pdf", "regulation.pdf", "act-zh.pdf"])
def test_a_sound_digest_holds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, proofs.content(name), proofs.DATA / name) == ExitCode.OK
    assert capsys.readouterr().out == ""
    assert run(tmp_path, proofs.content(name), proofs.DATA / name, "--strict") == ExitCode.OK


def number_in_text(digest: Row) -> None:
    row = first(digest, "verified", "10") or {}
    row["text"] = re.sub(r"\b10\b", "12", row["text"])


def quote(digest: Row) -> None:
    row = first(digest, "verified", "must")
    row["quote"] = row["quote"].replace(" shall ", " may ", 1)


def moved_page(digest: Row) -> None:
    row = first(digest, "verbatim")
    row["pages"], row["page_labels"] = (
        [row["pages"][0] + 1],
        [digest["document"]["pages"][row["pages"][0] + 1]["label"]],
    )


def dropped_ledger_row(digest: Row) -> None:
    at = next(at for at, row in enumerate(digest["ledger"]) if row["state"] == "condensed")
    del digest["ledger"][at]
    digest["coverage"]["clauses"] -= 1
    digest["coverage"]["accounted"] -= 1
    digest["coverage"]["states"]["condensed"] -= 1


def flipped_verdict(digest: Row) -> None:
    """A line of the document's own words is said to be the model's, with a word put in."""
    row = first(digest, "verbatim", "shall")
    row["verdict"], row["text"] = "verified", row["text"].replace("shall", "shall not", 1)


def added_statement(digest: Row) -> None:
    rows = digest["statements"]
    rows.append({**rows[-1], "id": len(rows), "text": "The Tenant may assign this Lease freely.", "sentences": [9000]})


def edited_coverage(digest: Row) -> None:
    digest["coverage"]["verdicts"]["verified"] += 5
    digest["coverage"]["verdicts"]["verbatim"] -= 5


def shifted_span(digest: Row) -> None:
    row = first(digest, "verified")
    row["spans"] = [[start + 1, end + 1] for start, end in row["spans"]]


def overview_of_another(digest: Row) -> None:
    row = digest["overview"][0]
    row["statements"] = [(row["statements"][0] + 1) % len(digest["statements"])]


def key_term_value(digest: Row) -> None:
    row = next(row for row in digest["key_terms"] if row["kind"] == "money")
    row["value"] = row["text"] = row["value"].replace("0", "1", 1)


def hidden_page(digest: Row) -> None:
    """An unread page is passed off as read."""
    digest["document"]["pages"][3]["status"] = "empty"


def dropped_statement(digest: Row) -> None:
    del digest["statements"][-1]


def dropped_duty(digest: Row) -> None:
    del digest["duties"][2]


def duty_turned(digest: Row) -> None:
    row = next(row for row in digest["duties"] if row["modality"] == "must not")
    row["modality"] = "may"


def condensed_made_immaterial(digest: Row) -> None:
    row = next(row for row in digest["ledger"] if row["state"] == "condensed")
    row["state"], row["reason"], row["condensed"] = "immaterial", "a heading", []
    digest["coverage"]["states"]["condensed"] -= 1
    digest["coverage"]["states"]["immaterial"] += 1


def failed_without_failure(digest: Row) -> None:
    row = next(row for row in digest["ledger"] if row["state"] == "condensed")
    row["state"], row["reason"] = "failed", "the model was away"


def said_complete(digest: Row) -> None:
    digest["status"] = "partial"


def wrong_label(digest: Row) -> None:
    digest["overview"][0]["page_labels"] = ["99"] * len(digest["overview"][0]["pages"])


TAMPERINGS: dict[str, tuple[Edit, str]] = {
    "a number in a line": (number_in_text, "the checker says: number-not-in-evidence"),
    "a word of a quote": (quote, "its quote is not what stands at its offsets"),
    "another page": (moved_page, "pages is"),
    "a ledger row gone": (dropped_ledger_row, "a row is missing: clause"),
    "a verdict": (flipped_verdict, "negation-changed"),
    "a statement put in": (added_statement, "rests on sentences [9000]"),
    "numbers of the coverage": (edited_coverage, "verified is"),
    "offsets moved by one": (shifted_span, "offsets"),
    "an overview that cites another line": (overview_of_another, "overview, sentence 1"),
    "the value of a key term": (key_term_value, "does not stand in its sentence"),
    "the status of a page": (hidden_page, 'status is "empty"; by the document it is "text"'),
    "a statement gone": (dropped_statement, "statement"),
    "a duty gone": (dropped_duty, "a row is missing"),
    "a prohibition made a right": (duty_turned, 'modality is "may"; by the document it is "must not"'),
    "a clause made immaterial": (condensed_made_immaterial, 'state is "immaterial"; by the document it is "condensed"'),
    "a failure made up": (failed_without_failure, "no such failure is named"),
    "partial or not": (said_complete, "status is"),
    "a page label": (wrong_label, "page labels is"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_each_tampering_is_caught(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By one who puts the checksum right; the rules alone must find it."""
    edit, said = TAMPERINGS[name]
    data = edited(edit)
    assert data != proofs.content()
    assert run(tmp_path, data) == ExitCode.VERIFICATION
    assert said in capsys.readouterr().out


def test_an_edit_of_what_no_rule_sees_breaks_the_checksum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def another_model(digest: Row) -> None:
        digest["provenance"]["model"] = "a much better model"

    assert run(tmp_path, edited(another_model, sealed=False)) == ExitCode.VERIFICATION
    assert "it was edited after it was made" in capsys.readouterr().out


def test_a_digest_of_another_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, proofs.content(), proofs.DATA / "regulation.pdf") == ExitCode.VERIFICATION
    assert "this is another file" in capsys.readouterr().out


def version(number: int) -> bytes:
    return proofs.content().replace(b"conspectus-digest-2", f"conspectus-digest-{number}".encode(), 1)


UNREADABLE = {
    "cut": (lambda: proofs.content()[:50_000], "ends in the middle, at byte 50000"),
    "cut inside a character": (lambda: proofs.content()[:9000] + b"\xe8}", "is no JSON in UTF-8"),
    "empty": (lambda: b"", "is empty"),
    "no JSON": (lambda: b"{'schema': 'conspectus-digest-2'}", "is no JSON (line 1, column 2"),
    "other JSON": (lambda: b'{"a": 1}', "no digest of this program"),
    "a list": (lambda: b"[1]", "no digest of this program"),
    "deep": (lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "no JSON"),
    "of a later version": (lambda: version(3), "newer than this program, which reads conspectus-digest-2. Update"),
    "of an earlier version": (lambda: version(1), "Make it again, stored answers are used"),
    "a field gone": (lambda: proofs.content().replace(b'"coverage"', b'"cover"', 1), "coverage: Field required"),
    "a wrong type": (lambda: proofs.content().replace(b'"id": 3,', b'"id": "3",', 1), "statements.3.id"),
    "a wrong verdict": (lambda: proofs.content().replace(b'"verdict": "verbatim"', b'"verdict": "true"', 1), "verdict"),
    "a PDF": (lambda: proofs.LEASE.read_bytes(), "is a PDF, not a digest. Name the digest first"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_digest_is_said_in_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, said = UNREADABLE[name]
    assert run(tmp_path, make()) == ExitCode.INPUT
    (line,) = capsys.readouterr().err.strip().split("\n")
    assert said in line and "lease.pdf.digest.json" in line


def test_files_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["verify", str(tmp_path / "no.json"), str(proofs.LEASE)]) == ExitCode.INPUT
    assert "there is no such file" in capsys.readouterr().err
    assert cli.run(["verify", str(tmp_path), str(proofs.LEASE)]) == ExitCode.INPUT
    assert "is a folder" in capsys.readouterr().err
    assert run(tmp_path, proofs.content(), tmp_path / "no.pdf") == ExitCode.INPUT
    assert cli.run(["verify", "-", "-"]) == ExitCode.USAGE
    assert "cannot both be stdin" in capsys.readouterr().err


def test_json_lines_end_with_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, edited(edited_coverage), proofs.LEASE, "--json") == ExitCode.VERIFICATION
    *findings, summary = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["message_type"] for row in findings} == {"finding"} and len(findings) == summary["findings"] == 2
    assert (summary["message_type"], summary["status"], summary["exit_code"]) == ("summary", "fails", 6)
    assert {row["code"] for row in findings} == {"coverage"}
    assert run(tmp_path, version(3), proofs.LEASE, "--json") == ExitCode.INPUT
    error, summary = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (error["message_type"], error["code"], error["remedy"]) == ("error", 4, "Update conspectus")
    assert (summary["message_type"], summary["status"], summary["exit_code"]) == ("summary", "unreadable", 4)


def test_strict_also_refuses_what_is_left_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "1. Rent\nThe Tenant shall pay £5,000 a year.\n2. Use\nThe Tenant shall not store petrol."
    (tmp_path / "a.txt").write_text(text)
    source = to_source(to_document(tmp_path / "a.txt", read_pdf(tmp_path / "a.txt")))

    def wrong(request: Request) -> Completion:
        return answer(request, ["The Tenant pays £6,000." for _ in lines_of(request)])

    made = pipeline.digest(source, FakeModel(rule=wrong), Detail.FULL, floor=False)
    assert any(row.verdict is Verdict.UNVERIFIED for row in made.statements)
    assert run(tmp_path, render_json(made), tmp_path / "a.txt") == ExitCode.OK
    assert run(tmp_path, render_json(made), tmp_path / "a.txt", "--strict") == ExitCode.VERIFICATION
    assert "are not verified" in capsys.readouterr().out


def test_strict_refuses_a_file_that_was_reformatted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.dumps(json.loads(proofs.content())).encode()
    assert run(tmp_path, data) == ExitCode.OK
    assert run(tmp_path, data, proofs.LEASE, "--strict") == ExitCode.VERIFICATION
    assert "written anew" in capsys.readouterr().out


def test_the_process_beside_says_what_this_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    file = parse(proofs.content(), "lease")
    alone = judge(claims(file), file.document.language)
    assert alone and len(alone) < WORTH_A_PROCESS
    monkeypatch.setattr("conspectus.verification.check.WORTH_A_PROCESS", 1)
    with Judging(file) as judging:
        assert judging.result() == alone


def test_a_process_that_dies_costs_time_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    file = parse(proofs.content(), "lease")
    monkeypatch.setattr("conspectus.verification.check.WORTH_A_PROCESS", 1)
    with Judging(file) as judging:
        assert judging._process is not None
        judging._process.kill()
        assert judging.result() == judge(claims(file), file.document.language)


LEAVES = st.data()


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to all leaves that code can derive or check."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in paths(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for key, inner in enumerate(value) for leaf in paths(inner, (*path, key))]
    return [path]


# What only the run knows; the checksum alone guards it.
FREE = ("schema", "provenance", "engine_errors", "checksum")


def _untold(path: tuple[Any, ...]) -> bool:
    """What the document does not tell: the file's name, why lines were refused, how the calls of overviews went."""
    about_calls = (path[0] == "levels" and path[-2:-1] == ("statements",)) or path[-1] in ("failure", "verdict")
    return path[:2] == ("document", "name") or "refused" in path or (path[0] == "levels" and about_calls)


@settings(max_examples=30, deadline=None)
@given(data=LEAVES)
def test_any_changed_leaf_is_found(data: st.DataObject) -> None:
    """Each field besides provenance is proved: a change of one leaf anywhere, checksum put right, is a finding."""
    plain = json.loads(proofs.content())
    leaves = [
        path for path in paths({key: value for key, value in plain.items() if key not in FREE}) if not _untold(path)
    ]
    path = data.draw(st.sampled_from(leaves))

    def change(digest: Row) -> None:
        at: Any = digest
        for key in path[:-1]:
            at = at[key]
        old = at[path[-1]]
        if isinstance(old, str):
            at[path[-1]] = _other(path, old)
        elif isinstance(old, bool) or old is None:
            at[path[-1]] = old
        else:
            at[path[-1]] = old + 1

    try:
        changed = edited(change)
    except Exception as error:
        assert "is not as this program writes" in str(error)
        return
    if changed == proofs.content():
        return
    file = parse(changed, "edited")
    with Judging(file) as judging:
        assert list(verify(file, proofs.source(), judging)), path


def _other(path: tuple[Any, ...], old: str) -> str:
    others = {"verdict": "unverified", "language": "zh", "text_sha256": "0" * 64, "sha256": "0" * 64}
    if path[-1] in others:
        return others[path[-1]]
    if path[-1] == "text" and path[0] in ("statements", "overview"):
        return old + " It lasts 777 years."
    return old + "x"


def test_quotes_stand_where_they_are_said_to() -> None:
    text = "The Tenant\nshall (a) pay rent and (b) keep it dry, unless it rains."
    spans = ((0, 16), (30, 33))
    assert stands(text, spans, "The Tenant shall […] and […]")
    assert not stands(text, spans, "The Tenant shall […]")
    assert not stands(text, spans, "The Tenant shall and […]")
    assert not stands(text, spans, "The Tenant shall […] or […]")
    assert stands("x [… ] […] y", ((0, 12),), "x [… ] […] y")


def test_a_digest_is_of_its_text_as_read(tmp_path: Path) -> None:
    made = proofs.digest()
    file = as_file(made)
    other = to_source(document("1. A\nThe Tenant shall pay £5.", name="lease.pdf"))
    with Judging(file) as judging:
        (finding,) = verify(file, other, judging)
    assert finding.code == "other-text"
