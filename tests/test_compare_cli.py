"""`conspectus compare`: its files, its exit codes, its messages; nothing of a document is obeyed."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from digests import HOSTILE
from documents import ACT, LEASE, source
from fake_model import FakeModel, shortened
from pdfs import write_pdf

from conspectus.cli import main as cli
from conspectus.compare import view as compare_view
from conspectus.compare.compare import Kind, Status, compare
from conspectus.compare.marks import MarkKind, Run
from conspectus.compare.render import Links, render_html, render_json, render_markdown
from conspectus.document import Language, Source, Verdict
from conspectus.errors import ExitCode
from conspectus.llama import choose

TEXT = LEASE.replace("£", "GBP ")
NEW = TEXT.replace("thirty (30) days", "sixty (60) days").replace("must not store", "may store")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    old = write_pdf(tmp_path / "old" / "lease.pdf", TEXT)
    return old, write_pdf(tmp_path / "new" / "lease.pdf", NEW)


def test_the_files_and_the_summary(two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert cli.run(["compare", *map(str, two), "-o", str(out), "--json"]) == ExitCode.OK
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["message_type"] for line in lines] == ["change", "change", "summary"]
    summary = lines[-1]
    assert summary["status"] == "changed" and summary["counts"]["changed"] == 2 and summary["model_calls"] == 0
    assert sorted(path.name for path in out.iterdir()) == [f"lease.pdf.compare.{s}" for s in ("html", "json", "md")]
    made = json.loads((out / "lease.pdf.compare.json").read_text("utf-8"))
    assert made["schema"] == "conspectus-compare-1"
    assert [change["new"]["clause"] for change in made["changes"]] == ["2.3", "3.2"]
    assert made["changes"][1]["marks"] == [
        {"kind": "operator", "old": "must not", "new": "may", "old_value": "", "new_value": ""}
    ]
    for change in made["changes"]:
        for side in (change["old"], change["new"]):
            assert side["page_labels"] == ["1"] and side["quote"] == "".join(run["text"] for run in side["runs"])
    page = (out / "lease.pdf.compare.html").read_text("utf-8")
    assert "<del" in page and "sixty (60) days</ins>" in page and "../old/lease.pdf#page=1" in page


def test_results_lie_beside_the_new_version(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *map(str, two)]) == ExitCode.OK
    told = capsys.readouterr()
    assert told.out == "" and "2 clauses differ; 10 of 12 clauses unchanged" in told.err
    assert len(list(two[1].parent.iterdir())) == 4 and len(list(two[0].parent.iterdir())) == 1


def test_printed_as_markdown(two: tuple[Path, Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.run(["compare", *map(str, two), "-o", "-", "-q"]) == ExitCode.OK
    text = capfdbinary.readouterr().out.decode()
    assert text.startswith("# lease.pdf compared with its earlier version\n")
    assert "- period: “thirty (30) days” → “sixty (60) days”" in text
    assert "**must not** store petrol" in text and "**may** store petrol" in text


def test_the_same_file(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", str(two[0]), str(two[0])]) == ExitCode.OK
    assert "No change" in capsys.readouterr().err


def test_unrelated_files(two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "act.txt"
    other.write_text(ACT, "utf-8")
    assert cli.run(["compare", str(two[0]), str(other), "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["status"] == "unrelated"
    assert "不是同一文件的两个版本" in (tmp_path / "act.txt.compare.md").read_text("utf-8")


def missing(folder: Path) -> list[str]:
    return [str(folder / "old" / "lease.pdf"), str(folder / "gone.pdf")]


def empty(folder: Path) -> list[str]:
    (folder / "x.pdf").touch()
    return [str(folder / "x.pdf"), str(folder / "old" / "lease.pdf")]


def scan(folder: Path) -> list[str]:
    return [str(folder / "old" / "lease.pdf"), str(write_pdf(folder / "blank.pdf", ""))]


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (missing, ExitCode.INPUT, "gone.pdf"),
        (empty, ExitCode.INPUT, "x.pdf"),
        (scan, ExitCode.INPUT, "blank.pdf"),
    ],
)
def test_bad_input(
    make: Callable[[Path], list[str]], code: int, said: str, two: tuple[Path, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert cli.run(["compare", *make(tmp_path), "-o", str(tmp_path / "out")]) == code
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("conspectus: ") and said in told
    assert not (tmp_path / "out").exists()


def test_bad_usage(two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", str(two[0])]) == ExitCode.USAGE
    assert cli.run(["compare", *map(str, two), "--json", "-o", "-"]) == ExitCode.USAGE
    assert cli.run(["compare", *map(str, two), "-o", str(two[0])]) == ExitCode.USAGE
    assert cli.run(["compare", "-", "-"]) == ExitCode.USAGE
    assert "both versions are stdin" in capsys.readouterr().err


@pytest.mark.prefect
def test_words_come_through_the_flow_and_are_asked_for_once(
    two: tuple[Path, Path], prefect_api: str, fresh_folders: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def summary(model: FakeModel) -> dict[str, Any]:
        monkeypatch.setattr(choose, "choose_model", lambda *_: model)
        assert cli.run(["compare", *map(str, two), "--words", "--json"]) == ExitCode.OK
        found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return found

    first = FakeModel(rule=shortened)
    assert summary(first)["model_calls"] == len(first.asked) == 4
    page = (two[1].parent / "lease.pdf.compare.json").read_bytes()
    sides = [side for change in json.loads(page)["changes"] for side in (change["old"], change["new"])]
    assert {line["verdict"] for side in sides for line in side["lines"]} == {"verified"}
    again = FakeModel(rule=shortened)
    told = summary(again)
    assert (told["model_calls"], told["cache_hits"], again.asked) == (0, 4, [])
    assert (two[1].parent / "lease.pdf.compare.json").read_bytes() == page
    assert cli.run(["cache", "forget", str(two[0]), "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["answers"] == 4


# What is shown.


def hostile(text: str) -> Source:
    made = source(text.replace("petrol", f"petrol {HOSTILE}"))
    return replace(made, document=replace(made.document, name=f"{HOSTILE}.pdf", title=HOSTILE))


def test_nothing_of_a_document_is_obeyed() -> None:
    made = compare(hostile(TEXT), hostile(NEW))
    assert made.status is Status.CHANGED
    page = render_html(made, Links("a.pdf", "b.pdf")).decode()
    assert "<script" not in page and "<img" not in page and "javascript:" not in re.sub(r">[^<]*<", "><", page)
    assert "default-src 'none'" in page
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00]", page)
    assert not re.search(
        "[\u202a-\u202e\u2066-\u2069\x00]|(?<![\\\\/])<script", render_markdown(made, Links()).decode()
    )
    json.loads(render_json(made, Links()))


def test_all_forms_are_the_same_bytes_each_time() -> None:
    for render in (render_html, render_json, render_markdown):
        assert render(compare(source(TEXT), source(NEW)), Links()) == render(
            compare(source(TEXT), source(NEW)), Links()
        )


def test_both_languages_have_every_word() -> None:
    english, chinese = (compare_view.LABELS[language] for language in (Language.EN, Language.ZH))
    assert english.keys() == chinese.keys()
    for words in (english, chinese):
        assert set(words["kinds"]) == set(Kind) and set(words["marks"]) == set(MarkKind)
        assert set(words["verdicts"]) == set(Verdict) and set(words["status"]) == set(Status)
    assert set(compare_view.ORDER) == set(Kind)


def test_a_chinese_comparison_is_in_chinese() -> None:
    made = compare(source(ACT), source(ACT.replace("不得伪造", "可以伪造")))
    text = render_markdown(made, Links()).decode()
    assert "- 限定词: “不得” → “可以”" in text and "第三条" in text and "第 1 页" in text
    assert '<html lang="zh">' in render_html(made, Links()).decode()


def test_a_long_clause_is_cut_to_what_stands_beside_the_difference() -> None:
    words = "word " * 400
    runs = [
        Run(words),
        Run("shall", MarkKind.OPERATOR),
        Run(f" {words}"),
        Run("30 days", MarkKind.PERIOD),
        Run(" end."),
    ]
    shown = compare_view.excerpt(runs)
    text = "".join(run.text for run in shown)
    assert len(text) < 1200 and text.count("[…]") == 2
    assert [run for run in shown if run.kind] == [runs[1], runs[3]]
    assert compare_view.excerpt([Run("short")]) == [Run("short")]
    assert len(compare_view.excerpt([Run(words)])[0].text) <= compare_view.WHOLE + 6
