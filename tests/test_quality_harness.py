"""The quality harness scores what it says it scores, asks nothing twice and follows the flow."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import LEASE
from fake_model import FakeModel, answer, shortened
from pdfs import write_pdf

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # benchmarks are no part of the package
from benchmarks.quality import audit, peers, run, scores, special, systems, table  # noqa: E402
from benchmarks.quality.asking import Asker, OutOfTime, free  # noqa: E402
from benchmarks.quality.driver import digest  # noqa: E402
from benchmarks.quality.errors import Auditor  # noqa: E402
from benchmarks.quality.materials import (  # noqa: E402
    CIVIL_CODE,
    SAMPLES,
    Fact,
    MissingMaterial,
    Question,
    corpus,
    document_from_text,
    facts_of,
    material,
    questions,
    source_of,
)
from benchmarks.quality.scoring import (  # noqa: E402
    Yardstick,
    copied_share,
    cut_to,
    recall,
    repeated_five_grams,
    sentences_of,
    states,
    with_neighbours,
)
from conspectus.digesting.assemble import Wish  # noqa: E402
from conspectus.document import Detail, Language  # noqa: E402
from conspectus.errors import EngineError  # noqa: E402
from conspectus.evidence.source import to_source  # noqa: E402
from conspectus.llama import Completion, Request  # noqa: E402
from conspectus.render.json import render_json  # noqa: E402

TEXT = (
    "1. NOTICE\n1.1 The Tenant shall give notice within seven days of a fire.\n"
    "1.2 The Landlord shall reply within seven days of a request for consent.\n"
    "2. DEALINGS\n2.1 The Tenant must not assign this lease to any person.\n"
    "2.2 The Landlord may inspect the Property once a year.\n"
    "2.3 The Tenant shall pay a fee of £250 for each key.\n"
)


def fact(ident: str, quote: str, *wanted: str, who: str = "", modality: str = "") -> Fact:
    return Fact(ident, "obligation", quote, wanted, quote, 1, who, modality)


FACTS = (
    fact("fire", "The Tenant shall give notice within seven days of a fire.", "seven|7", who="Tenant"),
    fact("reply", "The Landlord shall reply within seven days of a request for consent.", "seven|7", who="Landlord"),
    fact(
        "assign", "The Tenant must not assign this lease to any person.", "assign", "not", who="Tenant",
        modality="must not",
    ),
    fact("fee", "The Tenant shall pay a fee of £250 for each key.", "£250", who="Tenant", modality="shall"),
)  # fmt: skip


@pytest.fixture(scope="module")
def yard() -> Yardstick:
    return Yardstick(to_source(document_from_text(TEXT, "short.txt")), FACTS)


def free_or_forced(request: Request) -> Completion:
    """A true line for each forced one, and the prompt's own middle where the answer is free."""
    if request.forced:
        try:
            return shortened(request)
        except KeyError:
            return answer(request, [""] * len(request.forced))
    return answer(request, [request.messages[-1].content[60:400]])


def test_states_is_the_rule_of_the_samples() -> None:
    sys.path.insert(0, str(ROOT / "data"))
    import make_samples

    for name in SAMPLES:
        forms = [wanted for one in facts_of(name) for wanted in one.must_contain]
        texts = [one.text for one in facts_of(name)]
        for text in texts:
            assert [states(text, form) for form in forms] == [make_samples.states(text, form) for form in forms]
    assert states("within 15 days", "15") and not states("within 15 days", "5")
    assert states("in force on July 1, 2026", "1 July 2026") and not states("on July 11, 2026", "1 July 2026")
    assert not states("by twenty-five per cent", "5%")
    assert states("by thirty percent", "30%") and not states("by thirteen per cent", "30%")


def test_the_tables_are_read_as_they_are_shown() -> None:
    evidence = {"quote": "x", "clause": "1", "sentence": 3}
    duty = {"who": "买方", "modality": "must not", "operator": "不得", "when": "", "condition": "", "exception": ""}
    term = {"kind": "period", "name": "开业", "value": "六个月内", "role": "deadline", "sentence": 3}
    rows = [{**duty, **evidence, "what": what} for what in ("转售数据", "恢复信息")]
    digest = {"document": {"language": "zh"}, "key_terms": [term], "duties": rows}
    assert scores.term_lines(digest) == ["开业 六个月内", "买方 不得 转售数据 恢复信息"]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_whole_source_states_every_fact_and_nothing_states_none(name: str) -> None:
    what = material(name)
    yard = Yardstick(source_of(what), what.facts)
    lost = {one.id for one in what.facts} - yard.stated(yard.sentences)
    assert not lost
    assert not Auditor(yard)._own.keys() - set(range(len(yard.sentences)))
    assert recall(yard, yard.stated([])).share == 0.0
    whole = recall(yard, {one.id for one in what.facts})
    assert whole.share == 1.0
    assert (
        sum(of for _, of in whole.by_position.values()) == sum(of for _, of in whole.by_kind.values()) == whole.all[1]
    )


def test_the_same_words_about_something_else_state_no_fact(yard: Yardstick) -> None:
    assert yard.ambiguous == 2
    assert yard.stated(["The Tenant must report a fire within 7 days."]) == {"fire"}
    assert yard.stated(["The Landlord replies to requests for consent within seven days."]) == {"reply"}
    assert yard.stated(["The Tenant may assign the lease."]) == set()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("The Tenant shall pay a fee of £275 for each key.", "number"),
        ("The Tenant may assign this lease to any person.", "negation"),
        ("The Tenant shall not pay a fee of £250 for each key.", "negation"),
        ("The Landlord shall give notice within seven days of a fire.", "party"),
        ("The Tenant shall pay £250 for each key.", ""),
        ("The Tenant must give notice of a fire within seven days.", ""),
        ("The lease is not to be assigned to any person.", ""),
    ],
)
def test_errors_by_rule(yard: Yardstick, line: str, kind: str) -> None:
    assert [finding.kind for finding in Auditor(yard).findings(line)] == ([kind] if kind else [])


def test_prose_is_cut_into_sentences_and_pairs() -> None:
    answer = "**Summary**\n- The rent is £5. It is due on 1 May.\n2) 租期三年。承租人应当支付租金；不得转租。"
    said = ["Summary", "The rent is £5.", "It is due on 1 May.", "租期三年。", "承租人应当支付租金；", "不得转租。"]
    assert sentences_of(answer) == said
    assert "The rent is £5. It is due on 1 May." in with_neighbours(said)
    assert cut_to(["abcd", "efgh", "i"], 6) == ["abcd", "ef"]


def test_repetition_and_copies() -> None:
    assert repeated_five_grams(["one two three four five six"]) == 0.0
    assert repeated_five_grams(["a b c d e a b c d e"]) == pytest.approx(1 / 6, abs=1e-4)
    assert (
        copied_share(["The Landlord may inspect the\nProperty once a year", "Rent is due"], TEXT, Language.EN)[0] == 0.5
    )
    assert copied_share([], TEXT, Language.EN) == (0.0, 0.0)


def test_cuad_labels_are_found_by_name_date_and_place() -> None:
    labels = {
        "Parties": ["Acme Holdings, Inc.", "Buyer", 'are referred to herein as a "Party"'],
        "Agreement Date": ["1st day of May, 2019"],
        "Effective Date": [],
        "Governing Law": ["This Agreement shall be governed by the laws of the State of Ohio."],
    }
    lines = ["Acme Holdings Inc sells.", "Dated May 1, 2019.", "Ohio law governs."]
    assert special.cuad(labels, lines) == {"party": (1, 2), "date": (1, 1), "governing law": (1, 1)}
    assert special.cuad(labels, ["The Buyer is in Ohio."])["governing law"] == (0, 1)


def test_questions_need_answer_and_subject_in_one_line() -> None:
    asked = [Question("q", "1", "?", ("连带责任",), ("共同",))]
    assert special.answered(asked, ["共同侵权的，承担连带 责任。"]) == ["q"]
    assert special.answered(asked, ["共同侵权。", "承担连带责任。"]) == []
    assert special.replied(asked, {"q": "连带责任"}) == ["q"] and special.replied(asked, {}) == []


@pytest.mark.corpus
def test_the_questions_stand_in_the_civil_code() -> None:
    try:
        corpus()
    except MissingMaterial as error:
        pytest.skip(f"missing: {error}")
    source = source_of(material(CIVIL_CODE))
    asked = questions()
    assert len(asked) == 20 == len({question.id for question in asked})
    answered = special.answered(asked, [sentence.text for sentence in source.sentences])
    assert {question.id for question in asked} == set(answered)
    assert all(question.article in source.document.text for question in asked)


def test_answers_are_kept_and_a_bad_call_fails_alone(tmp_path: Path) -> None:
    requests = [free("one", 8), free("two", 8), free("one", 8)]

    def rule(request: Request) -> Completion:
        if request.messages[-1].content == "two":
            raise EngineError("no", retryable=False)
        return answer(request, ["said"])

    model = FakeModel(rule=rule)
    asker = Asker(model, tmp_path)
    answers = asker.ask(requests)
    assert set(answers.completions) == {0, 2} and set(answers.failures) == {1}
    assert (asker.costs.calls, asker.costs.cached, len(asker.costs.failures)) == (3, 0, 1)
    again = Asker(FakeModel(rule=rule), tmp_path)
    assert set(again.ask(requests[:1]).completions) == {0}
    assert again.costs.cached == 1 and again.model.asked == []
    with pytest.raises(OutOfTime):
        Asker(model, tmp_path / "new", stop_at=0.0).ask([free("three", 8)])


def test_a_prompt_over_the_window_is_counted_and_not_repaired(tmp_path: Path) -> None:
    backend = peers.Backend(Asker(FakeModel(rule=free_or_forced, context=128), tmp_path), 32)
    with pytest.raises(peers.WindowExceeded):
        backend.complete(["word " * 400])
    assert backend.overflows == 1
    backend.complete(["word " * 100])
    assert backend.squeezed == 1
    text, shown = peers.single_call(document_from_text(TEXT * 4, "long.txt"), backend)
    assert text and 0 < shown < len(TEXT) * 4


@pytest.fixture
def options(tmp_path: Path) -> Any:
    given = ["--documents", "lease", "--pages", "4", "--systems", "conspectus,conspectus-silent,single"]
    return run.arguments([*given, "--results", str(tmp_path / "results")])


def test_a_cell_that_is_there_is_not_made_again(options: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model = FakeModel(rule=free_or_forced)
    assert run.run(options, model) == 0
    assert "n = " in capsys.readouterr().out
    asked = len(model.asked)
    assert asked and run.run(options, model) == 0 and len(model.asked) == asked
    assert capsys.readouterr().out.count("there already, n = ") == 3
    text = table.write(options.results)
    rows = {row["system"]: row for row in json.loads((options.results / "table.json").read_text("utf-8"))}
    assert rows.keys() == {"conspectus", "conspectus-silent", "single"}
    ours, silent = rows["conspectus"], rows["conspectus-silent"]
    assert ours["refused_by_checker"]["found"] == 0 and ours["facts"] > 10
    assert silent["verbatim_lines"] == 1.0 and silent["errors"]["rate"] == 0.0
    assert ours["verbatim_lines"] < 1.0
    assert ours["equal_length"]["single"]["characters"] == rows["single"]["characters"]
    assert "| lease.p4 | conspectus |" in text and "Not scored" not in text


def test_a_cut_digest_states_no_more_than_a_whole_one(options: Any) -> None:
    run.run(options, FakeModel(rule=free_or_forced))
    what = material("lease", 4)
    (cell,) = [cell for cell in table.cells_of(options.results) if cell["system"] == "conspectus-silent"]
    shares = [scores.at_length(cell, what, length) for length in (0, 600, 1200, 10**6)]
    assert shares == sorted(shares) and shares[0] == 0.0
    assert shares[-1] == scores.score(cell, what)["recall"]["statements"]["share"]


@pytest.fixture
def cell_files(tmp_path: Path) -> Iterator[list[Path]]:
    source = to_source(document_from_text(TEXT, "short.txt"))
    made = digest(source, Wish(Detail.FULL), Asker(FakeModel(rule=shortened), tmp_path / "answers"))
    path = tmp_path / "short.json"
    path.write_bytes(render_json(made))
    yield [path]


def test_an_audit_takes_the_same_lines_and_wants_each_judged(
    cell_files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = audit.sample(cell_files, 3, seed=5)
    assert rows == audit.sample(cell_files, 3, seed=5) and len(rows) == 3
    assert all(set(row) == set(audit.FIELDS) for row in rows)
    assert not audit.report(rows)[1]
    for row in rows:
        row["judgement"] = random.Random(1).choice(["right"])
    rows[0] |= {"judgement": "number", "reason": "says 275"}
    text, whole = audit.report(rows)
    assert whole and "1 of 3 with an error" in text and "says 275" in text
    judged = tmp_path / "audit.jsonl"
    judged.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    assert audit.main(["report", str(judged)]) == 0
    assert audit.main(["sample", "--seed", "5", "--n", "2", "--digests", str(cell_files[0])]) == 0
    assert len(capsys.readouterr().out.strip().splitlines()[-2:]) == 2


def test_committed_audits_are_judged() -> None:
    for path in sorted((ROOT / "benchmarks" / "quality" / "audits").glob("*.jsonl")):
        assert audit.main(["report", str(path)]) == 0, path.name


def test_every_system_suits_something_and_no_peer_meets_single_clauses() -> None:
    plain, lease = material_or_skip("plain-english"), material("lease")
    assert not systems.suits("langchain-refine", plain) and systems.suits("single", plain)
    assert not systems.suits("single-qa", lease) and systems.suits("conspectus", lease)


def material_or_skip(name: str) -> Any:
    try:
        return material(name)
    except MissingMaterial as error:
        pytest.skip(f"missing: {error}")


def test_the_driver_needs_no_prefect() -> None:
    code = (
        "import sys\nsys.modules['prefect'] = None\nsys.path.insert(0, sys.argv[1])\n"
        "import benchmarks.quality.run, conspectus.llama.embedded\n"
        "assert not any(name.startswith(('prefect.', 'llama_cpp')) for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.prefect
def test_the_driver_gives_the_digest_of_the_flow(prefect_api: str, tmp_path: Path) -> None:
    from conspectus.digesting.straight import Models
    from conspectus.document import Document
    from conspectus.evidence.reading import to_document
    from conspectus.flows.digest import digest as flow
    from conspectus.pdf import ReadOptions, read_pdf
    from conspectus.run.session import Session

    path = write_pdf(tmp_path / "lease.pdf", LEASE.replace("£", "GBP "))
    with Session(Models.of(FakeModel(rule=free_or_forced)), tmp_path / "stored"):
        theirs, _ = flow(str(path), "full")
    document: Document = to_document(path, read_pdf(path, ReadOptions(), lambda done, total: None))
    ours = digest(to_source(document), Wish(Detail.FULL), Asker(FakeModel(rule=free_or_forced), tmp_path / "own"))
    assert render_json(ours) == render_json(theirs)
