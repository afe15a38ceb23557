"""A batch with a scripted model, without Prefect: who is done, who is left alone, what one failure does to others."""

import errno
import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import batches
import pytest
from batches import CONTRACT, Batch
from fake_model import FakeModel, shortened
from pdfs import write_pdf

from conspectus.batch import document as batch_document
from conspectus.batch.crew import Limits
from conspectus.batch.document import note_of
from conspectus.batch.files import find
from conspectus.batch.lock import OutputInUse, claimed
from conspectus.batch.record import Recipe
from conspectus.digesting.assemble import Wish
from conspectus.digesting.desk import CallMade, DeskCounts
from conspectus.document import Detail, Digest
from conspectus.errors import ContextTooSmall, EngineError, ModelError
from conspectus.journal.journal import CallState, DocumentState, RunEnd


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_output_tree_mirrors_the_input_tree(batch: Batch) -> None:
    for number, name in enumerate(("a.txt", "sub/a.txt", "合同/租约.txt")):
        batch.add(name, number)
    assert batch.run() is RunEnd.FINISHED
    assert set(batch.states().values()) == {"done"}
    assert set(files(batch.out)) == {
        f"{name}.{suffix}"
        for name in ("a.txt", "sub/a.txt", "合同/租约.txt")
        for suffix in ("digest.md", "digest.json", "run.json")
    }


def test_each_of_several_broken_files_with_the_same_bytes_is_named(batch: Batch) -> None:
    for name in ("a.pdf", "b.pdf"):
        (batch.folder / name).write_text("%PDF-1.4 nothing follows")
    assert batch.run() is RunEnd.FINISHED
    assert set(batch.states().values()) == {"unreadable"}
    for name, ended in batch.results.items():
        assert name in ended.outcome.why and name in ended.outcome.remedy


def test_an_unchanged_document_is_left_alone(batch: Batch) -> None:
    batch.add("a.txt", 1)
    batch.add("b.txt", 2)
    batch.run()
    before = files(batch.out)
    batch.add("b.txt", 3)
    batch.run()
    assert batch.states() == {"a.txt": "unchanged", "b.txt": "done"}
    assert batch.digested == ["b.txt"]
    assert {name: content for name, content in files(batch.out).items() if name.startswith("a")} == {
        name: content for name, content in before.items() if name.startswith("a")
    }
    assert batch.results["b.txt"].facts["changes"]


@pytest.mark.parametrize("how", ["edited", "gone", "torn record", "no record"])
def test_a_digest_that_is_not_whole_is_made_again(batch: Batch, how: str) -> None:
    batch.add("a.txt", 1)
    batch.run()
    whole = (batch.out / "a.txt.digest.md").read_bytes()
    if how == "edited":
        (batch.out / "a.txt.digest.md").write_bytes(whole + b"!")
    elif how == "gone":
        (batch.out / "a.txt.digest.json").unlink()
    elif how == "torn record":
        record = batch.out / "a.txt.run.json"
        record.write_bytes(record.read_bytes()[:-20])
    else:
        (batch.out / "a.txt.run.json").unlink()
    batch.run()
    assert batch.states() == {"a.txt": "done"}
    assert (batch.out / "a.txt.digest.md").read_bytes() == whole


@pytest.mark.parametrize(
    "change",
    [{"model": "e" * 64}, {"prompts": "map 99"}, {"program": "9"}, {"detail": "brief"}, {"reduce": False},
     {"floor": False}, {"language": "zh"}, {"ocr": True}, {"context": 1}],
)  # fmt: skip
def test_whatever_decides_a_digest_makes_it_stale(batch: Batch, change: dict[str, Any]) -> None:
    batch.add("a.txt", 1)
    batch.run()
    wish = Wish(Detail.FULL)
    recipe = Recipe.of(wish, batch.model.info, None, ocr=False)
    batch.run(recipe=recipe)
    assert batch.states() == {"a.txt": "unchanged"}
    batch.run(recipe=replace(recipe, **change))
    assert batch.states() == {"a.txt": "done"}
    batch.run(recipe=replace(recipe, **change), suffixes=("md", "json", "html"))
    assert batch.states() == {"a.txt": "done"}


def test_identical_files_are_digested_once_and_each_is_named(batch: Batch) -> None:
    for name in ("a.txt", "b.txt", "sub/a.txt"):
        batch.add(name, 1)
    batch.run()
    assert batch.digested == ["a.txt"]
    assert batch.states() == {"a.txt": "done", "b.txt": "duplicate", "sub/a.txt": "duplicate"}
    assert batch.results["b.txt"].outcome.same_as == batch.folder / "a.txt"
    made = {name: json.loads((batch.out / f"{name}.digest.json").read_bytes()) for name in ("a.txt", "b.txt")}
    assert made["a.txt"]["document"]["name"] == "a.txt" and made["b.txt"]["document"]["name"] == "b.txt"
    assert made["a.txt"]["statements"] == made["b.txt"]["statements"]
    batch.run()
    assert set(batch.states().values()) == {"unchanged"}
    batch.add("c.txt", 1)
    batch.run()
    assert batch.states()["c.txt"] == "done" and batch.states()["a.txt"] == "unchanged"


def test_one_failure_stops_nothing_else(batch: Batch) -> None:
    for number in range(6):
        batch.add(f"{number}.txt", number)
    write_pdf(batch.folder / "scan.pdf", "")

    def flow(path: Path) -> tuple[Digest, DeskCounts]:
        if path.name == "1.txt":
            raise ValueError("out of luck")
        if path.name == "2.txt":
            raise ContextTooSmall("a sentence does not fit", "Give it more context")
        return batch._digest(path)

    batch.flow = flow
    assert batch.run() is RunEnd.FINISHED
    states = batch.states()
    assert states.pop("1.txt") == states.pop("2.txt") == "failed"
    assert states.pop("scan.pdf") == "unreadable"
    assert set(states.values()) == {"done"} and len(states) == 4
    assert "out of luck" in batch.results["1.txt"].outcome.why


def test_what_could_not_be_read_is_not_tried_again_unless_asked(batch: Batch) -> None:
    path = write_pdf(batch.folder / "scan.pdf", "")
    batch.run()
    assert batch.states() == {"scan.pdf": "unreadable"}
    reads: list[Path] = []
    batch.run(note_state=lambda item, _: reads.append(item.path))
    assert batch.states() == {"scan.pdf": "unreadable"} and reads == []
    assert "as before" in batch.results["scan.pdf"].outcome.why
    batch.run(note_state=lambda item, _: reads.append(item.path), retry_failed=True)
    assert reads == [path]
    write_pdf(path, CONTRACT.format(3))
    batch.run()
    assert batch.states() == {"scan.pdf": "done"}


def test_a_partial_digest_stays_partial_and_is_made_again_only_for_failed_calls(batch: Batch) -> None:
    write_pdf(batch.folder / "mixed.pdf", CONTRACT.format(1), "")
    batch.add("calls.txt", 2)
    lost = FakeModel(rule=shortened)

    def flow(path: Path) -> tuple[Digest, DeskCounts]:
        if path.name == "calls.txt":
            made, counts = batch._digest(path)
            return replace(made, engine_errors=("the server was gone",)), counts
        return batch._digest(path)

    batch.flow = flow
    batch.run()
    assert batch.states() == {"mixed.pdf": "partial", "calls.txt": "partial"}
    assert "pages not read: 2" in batch.results["mixed.pdf"].outcome.why
    batch.flow, batch.model = None, lost
    batch.run()
    assert batch.states() == {"mixed.pdf": "partial", "calls.txt": "done"}
    assert batch.digested == ["calls.txt"]


def test_a_file_that_vanishes_or_changes_after_it_was_found(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, twin = batch.add("a.txt", 1), batch.add("b.txt", 1)
    changed = batch.add("c.txt", 2)
    other = batch.add("d.txt", 2)
    found = find([batch.folder], batch.out)
    gone.unlink()
    changed.write_text(CONTRACT.format(77))
    monkeypatch.setattr(batches, "find", lambda *_: found)
    batch.run()
    assert batch.states() == {"a.txt": "unreadable", "b.txt": "done", "c.txt": "done", "d.txt": "done"}
    assert "no such file" in batch.results["a.txt"].outcome.why
    made = json.loads((batch.out / "c.txt.digest.json").read_bytes())
    assert "GBP 77" in json.dumps(made["statements"])
    assert "GBP 77" not in (batch.out / "d.txt.digest.md").read_text()
    assert twin.exists() and other.exists()


def test_fail_fast_begins_nothing_more(batch: Batch) -> None:
    write_pdf(batch.folder / "0.pdf", "")
    for number in range(1, 9):
        batch.add(f"{number}.txt", number)
    batch.limits = Limits(1, fail_fast=True)
    assert batch.run() is RunEnd.STOPPED
    assert batch.states() == {"0.pdf": "unreadable"}


def test_no_document_is_begun_after_the_time_is_up(batch: Batch) -> None:
    for number in range(4):
        batch.add(f"{number}.txt", number)
    batch.limits = Limits(1, until=time.monotonic() - 1)
    assert batch.run() is RunEnd.TIME_UP
    assert batch.states() == {}
    batch.limits = Limits(1, until=time.monotonic() + 3600)
    assert batch.run() is RunEnd.FINISHED
    assert len(batch.states()) == 4


def test_a_clock_that_jumps_back_changes_nothing(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        batch.add(f"{number}.txt", number)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    batch.limits = Limits(1, until=time.monotonic() + 3600)
    assert batch.run() is RunEnd.FINISHED
    assert all(ended.facts["seconds"] >= 0 for ended in batch.results.values())


def test_a_full_disk_ends_the_run_with_one_clear_line_each(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        batch.add(f"{number}.txt", number)
    batch.limits = Limits(1)
    real = batch_document.write
    written: list[Path] = []

    def write(digest: Digest, document: Path, *rest: Any) -> list[Path]:
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(document)
        return real(digest, document, *rest)

    monkeypatch.setattr(batch_document, "write", write)
    assert batch.run() is RunEnd.STOPPED
    assert list(batch.states().values()) == ["done", "done", "failed"]
    assert "no space left" in batch.results["2.txt"].outcome.why
    monkeypatch.undo()
    assert batch.run() is RunEnd.FINISHED
    assert list(batch.states().values()) == ["unchanged"] * 2 + ["done"] * 4


def test_a_model_of_no_use_ends_the_run_and_writes_no_partial_digest(batch: Batch) -> None:
    for number in range(6):
        batch.add(f"{number}.txt", number)

    def flow(path: Path) -> tuple[Digest, DeskCounts]:
        batch.session.close_models()
        raise ModelError("weights are broken", "Fetch it again")

    batch.flow = flow
    with pytest.raises(ModelError, match="weights"):
        batch.run()
    assert files(batch.out) == {}


def test_ctrl_c_ends_what_is_under_way_and_writes_no_half_digest(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        batch.add(f"{number}.txt", number)
    begun, cancelled = threading.Event(), threading.Event()

    def flow(path: Path) -> tuple[Digest, DeskCounts]:
        begun.set()
        assert cancelled.wait(30)
        made, counts = batch._digest(path)
        return replace(made, engine_errors=("the model was closed",)), counts

    real = threading.Thread.join

    def join(thread: threading.Thread, timeout: float | None = None) -> None:
        if begun.is_set() and not cancelled.is_set() and thread.name.startswith("document"):
            cancelled.set()
            raise KeyboardInterrupt
        real(thread, timeout)

    monkeypatch.setattr(threading.Thread, "join", join)
    batch.flow = flow
    with pytest.raises(KeyboardInterrupt):
        batch.run()
    assert files(batch.out) == {} and batch.states() == {}
    assert batch.model.closed


def test_two_runs_cannot_write_to_one_folder(tmp_path: Path) -> None:
    with claimed(tmp_path / "out"):
        refused = pytest.raises(OutputInUse, match=f"another batch is writing there .process {os.getpid()} ")
        with refused, claimed(tmp_path / "out"):
            pass
        with claimed(tmp_path / "other"):
            pass
    with claimed(tmp_path / "out"):
        pass


def test_calls_are_noted_without_the_name_of_the_document() -> None:
    label = "secret.pdf: refused lines asked again, calls 3"
    note = note_of(CallMade("a" * 64, label, None, "the server was gone", 2, 1.5))
    assert note.label == "refused lines asked again 3"
    assert (note.state, note.attempt, note.reason, note.seconds) == (CallState.ERROR, 3, "the server was gone", 1.5)


def test_engine_errors_of_calls_do_not_stop_a_digest(batch: Batch) -> None:
    batch.add("a.txt", 1)
    batch.model = FakeModel(EngineError("gone"), rule=shortened)
    batch.run()
    assert batch.states() == {"a.txt": "partial"}
    assert DocumentState.PARTIAL.value == "partial"
