"""`conspectus cache`: what is counted, found damaged and removed; what is not ours is never touched."""

import json
import os
import pickle
import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from documents import LEASE, source
from fake_model import FakeModel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conspectus.cache import folder as store
from conspectus.cache import index as store_index
from conspectus.cli import main as cli
from conspectus.digesting import straight
from conspectus.digesting.answers import lookup, record_from
from conspectus.digesting.assemble import Wish
from conspectus.digesting.mapping import Answers
from conspectus.digesting.straight import Models
from conspectus.document import Detail
from conspectus.errors import ExitCode, InputError, UsageError
from conspectus.journal.journal import CallNote, DocumentState, Journal, Outcome, RunEnd
from conspectus.llama import Completion, Finish, ModelInfo, Request
from conspectus.paths import state_dir

SERIALIZER = {
    "type": "json",
    "jsonlib": "json",
    "object_decoder": "prefect.serializers.prefect_json_object_decoder",
    "loads_kwargs": {},
}
MODEL = ModelInfo("fake", "f" * 64, 4096, 1)


def key(number: int) -> str:
    return sha256(str(number).encode()).hexdigest()


def put(
    answers: Path, name: str, said: Completion | None = None, *, age: float = 0.0, change: dict[str, Any] | None = None
) -> Path:
    """A stored answer as Prefect writes it, `age` seconds old."""
    said = said or Completion((f"line of {name[:6]}",), Finish.STOP, 7, 0, 3, 0.1)
    record = record_from(name, said) | (change or {})
    path = answers / name[:2] / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"metadata": {"serializer": SERIALIZER}, "result": json.dumps(record)}))
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = cli.run(["cache", *arguments, "--json"])
    lines = capsys.readouterr().out.splitlines()
    return code, json.loads(lines[-1]) if lines else None


def test_an_empty_cache(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run(capsys, "stats")
    assert (code, told["answers"], told["bytes"], told["oldest_seconds"]) == (0, 0, 0, None)
    assert run(capsys, "verify")[0] == run(capsys, "clear")[0] == run(capsys, "prune", "--max-size", "0")[0] == 0
    assert cli.run(["cache", "stats"]) == 0
    assert "0, 0 B" in capsys.readouterr().out


def test_stats_count_sizes_ages_and_models(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [put(answers, key(n), age=3600.0 * n) for n in range(4)]
    store_index.note(answers, key(100), [key(0), key(1)], MODEL)
    _, told = run(capsys, "stats")
    assert told["answers"] == 4 and told["bytes"] == sum(path.stat().st_size for path in paths)
    assert 3 * 3600 <= told["oldest_seconds"] < 3 * 3600 + 60 and told["newest_seconds"] < 60
    assert [(row["model"], row["answers"]) for row in told["models"]] == [(None, 2), ("fake", 2)]
    assert told["documents"] == 1
    cli.run(["cache", "stats"])
    shown = capsys.readouterr().out
    assert "4, " in shown and "3 hours to" in shown and "by fake" in shown


def test_folders_are_private(answers: Path) -> None:
    store_index.note(answers, key(1), [key(2)], MODEL)
    folder = answers.parent / "documents"
    assert all(
        stat.S_IMODE(path.stat().st_mode) == 0o700 for path in (answers, answers.parent, folder, folder / key(1))
    )
    (listing,) = (folder / key(1)).iterdir()
    assert stat.S_IMODE(listing.stat().st_mode) == 0o600


def damage(answers: Path) -> dict[str, str]:
    """One file of each fault; returns what is to be said of each."""
    paths = {fault: put(answers, key(n)) for n, fault in enumerate(("empty", "zeros", "cut", "bit", "pickle", "swap"))}
    paths["empty"].write_bytes(b"")
    paths["zeros"].write_bytes(b"\0" * 300)
    paths["cut"].write_bytes(paths["cut"].read_bytes()[:-9])
    paths["bit"].write_bytes(paths["bit"].read_bytes().replace(b"line of", b"lime of"))
    paths["pickle"].write_bytes(pickle.dumps({"a": 1}))
    paths["swap"].write_bytes(put(answers, key(50)).read_bytes())
    paths["old"] = put(answers, key(60), change={"schema": 1})
    paths["new"] = put(answers, key(61), change={"schema": 99})
    faults = {
        "empty": "empty", "zeros": "empty", "cut": "torn or foreign", "pickle": "torn or foreign", "bit": "altered",
        "swap": "altered", "old": "of an older version", "new": "of a newer version",
    }  # fmt: skip
    return {str(paths[name]): fault for name, fault in faults.items()}


def test_verify_names_what_is_damaged_and_removes_it_when_told(
    answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = damage(answers)
    code, told = run(capsys, "verify")
    assert code == ExitCode.VERIFICATION
    assert {row["file"]: row["fault"] for row in told["faulty"]} == expected
    assert (told["answers"], told["sound"], told["removed"]) == (9, 1, 0)
    assert run(capsys, "verify", "--remove", "--dry-run")[0] == ExitCode.VERIFICATION
    assert all(Path(path).exists() for path in expected)
    code, told = run(capsys, "verify", "--remove")
    assert (code, told["removed"]) == (ExitCode.OK, 8)
    assert not any(Path(path).exists() for path in expected)
    assert lookup(answers, key(50)) is not None
    assert run(capsys, "verify")[0] == ExitCode.OK


def test_verify_for_people(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(answers)
    assert cli.run(["cache", "verify"]) == ExitCode.VERIFICATION
    shown = capsys.readouterr()
    assert "1 of 9 answers are sound; 2 altered, 2 empty" in shown.out
    assert "conspectus cache verify --remove" in shown.err


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_flipped_bit_of_an_answer_stays_unseen(answers: Path, data: st.DataObject) -> None:
    path = put(answers, key(7))
    whole = path.read_bytes()
    at, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
    flipped = path.read_bytes()
    stored = [one for one in store.scan(answers).answers if one.key == key(7)]
    faulty = list(store.check(stored))
    if not faulty:
        # What neither the words nor the key rest on (seconds, token counts, a serializer's other fields).
        kept = lookup(answers, key(7))
        assert kept is not None and kept.lines == (f"line of {key(7)[:6]}",)
    assert path.read_bytes() == flipped if not faulty else path.exists()


def test_prune_takes_the_oldest_first(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [put(answers, key(n), age=100.0 * n) for n in range(6)]
    size = paths[0].stat().st_size
    store_index.note(answers, key(100), [key(5), key(4)], MODEL)
    store_index.note(answers, key(101), [key(0), key(4)], MODEL)
    code, told = run(capsys, "prune", "--max-size", str(3 * size + 5), "--dry-run")
    assert (code, told["removed"], told["dry_run"]) == (0, 4, True)  # three answers, one list without answers
    assert all(path.exists() for path in paths)
    _, told = run(capsys, "prune", "--max-size", str(3 * size + 5))
    assert [path.exists() for path in paths] == [True, True, True, False, False, False]
    assert told["left_bytes"] == 3 * size
    assert store_index.documents(answers) == [key(101)]


def test_prune_takes_what_killed_processes_left_and_no_more(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(answers, key(1))
    old, fresh = answers / key(1)[:2] / f".{key(1)}.ab12.tmp", answers / key(1)[:2] / f".{key(2)}.cd34.tmp"
    for path in (old, fresh):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    assert run(capsys, "prune", "--max-size", "1GB")[1]["removed"] == 1
    assert fresh.exists() and not old.exists()


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("0", 0),
        ("1GB", 10**9),
        ("500 MB", 5 * 10**8),
        ("2GiB", 2 * 2**30),
        ("1.5g", 1500 * 10**6),
        ("7b", 7),
        ("3k", 3000),
    ],
)
def test_sizes(size: str, expected: int) -> None:
    assert store.bytes_of(size) == expected


@pytest.mark.parametrize("size", ["", "GB", "-1GB", "1XB", "1e9", "big"])
def test_what_is_no_size(size: str, answers: Path) -> None:
    with pytest.raises(UsageError, match="no size"):
        store.bytes_of(size)
    assert cli.run(["cache", "prune", "--max-size", size or "GB"]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (5 * 10**15, "5000.0 TB")]
)
def test_sizes_for_people(size: int, shown: str) -> None:
    assert store.as_size(size) == shown


def test_clear_takes_answers_and_lists_and_nothing_else(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(answers, key(1))
    store_index.note(answers, key(100), [key(1)], MODEL)
    outside = answers.parent.parent / "precious.txt"
    outside.write_text("keep")
    foreign = [answers / "notes.txt", answers / key(1)[:2] / "other", answers.parent / "mine.txt"]
    for path in foreign:
        path.write_text("keep")
    link = answers / key(3)[:2]
    link.symlink_to(answers.parent.parent, target_is_directory=True)
    (answers / key(1)[:2] / key(1).replace("a", "b")).symlink_to(outside)
    assert cli.run(["cache", "clear", "--dry-run"]) == 0
    assert "1 answer would be removed" in capsys.readouterr().out
    assert cli.run(["cache", "clear"]) == 0
    shown = capsys.readouterr()
    assert "1 answer removed" in shown.out and "left alone" in shown.err
    assert lookup(answers, key(1)) is None and store_index.documents(answers) == []
    assert outside.read_text() == "keep" and link.is_symlink()
    assert all(path.read_text() == "keep" for path in foreign)


def test_a_cache_of_an_older_layout_is_told_and_left_alone(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (answers / key(1)).write_text("an answer as version 0 kept it")
    (answers / "v0.sqlite").write_bytes(b"SQLite format 3\0")
    for command in (["stats"], ["verify"], ["prune", "--max-size", "1"], ["clear"]):
        assert cli.run(["cache", *command]) == ExitCode.OK
        assert "2 files of an older version or of another program are left alone" in capsys.readouterr().err
    assert len(list(answers.iterdir())) == 2


def test_what_cannot_be_removed_is_named(
    answers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(answers, key(1))
    kept = put(answers, key(2))
    store_index.note(answers, key(100), [key(1), key(2)], MODEL)
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == kept:
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert cli.run(["cache", "forget", key(100)]) == ExitCode.PARTIAL
    assert f"not removed: {kept}: Permission denied" in capsys.readouterr().err
    assert store_index.documents(answers) == [key(100)]  # so that it can be tried again
    monkeypatch.undo()


def test_an_unreadable_folder_is_one_line(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UsageError, match="cannot be listed: Permission denied"):
        store.scan(answers)


def test_files_that_another_process_takes_away_are_no_error(answers: Path) -> None:
    put(answers, key(1))
    put(answers, key(2))
    found = store.scan(answers).answers
    found[0].path.unlink()
    assert list(store.check(found)) == []
    assert store.remove(found).files == 1


# What a document left.


def digest(text: str, answers: Path, model: FakeModel, sha: str) -> None:
    """A run over a document that stores its answers as a flow does."""
    made = source(text)
    models = Models.of(model)

    def ask(requests: Any, stage: str, *, reducing: bool = False) -> Answers:
        found = {}
        for place, request in enumerate(requests):
            name = request.key(model.info.fingerprint)
            stored = lookup(answers, name)
            if stored is None:
                (stored,) = model.complete([request])
                put(answers, name, stored)
            found[place] = stored
        return Answers(found)

    made = replace(made, document=replace(made.document, sha256=sha))
    listed = store_index.noted(ask, [sha], models, answers)
    straight.digest(made, Wish(Detail.FULL, True, True), models, listed)


def test_forget_removes_all_that_a_document_left_and_only_that(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lease, other = tmp_path / "lease.txt", tmp_path / "other.txt"
    lease.write_text(LEASE)
    other.write_text(LEASE.replace("bakery", "forge"))
    shas = [sha256(path.read_bytes()).hexdigest() for path in (lease, other)]
    model = FakeModel()
    digest(LEASE, answers, model, shas[0])
    mine = {request.key("f" * 64) for request in model.asked}
    assert {one.key for one in store.scan(answers).answers} == mine and len(mine) > 1
    digest("\n".join(["OTHER", *other.read_text().splitlines()[1:]]), answers, FakeModel(), shas[1])
    put(answers, key(1))  # of nobody
    assert store_index.documents(answers) == sorted(shas)
    code, told = run(capsys, "forget", str(lease), "--dry-run")
    assert (code, told["answers"], told["sha256"]) == (0, len(mine), shas[0])
    assert run(capsys, "forget", str(lease))[1]["answers"] == len(mine)
    left = {one.key for one in store.scan(answers).answers}
    assert not left & mine and key(1) in left and len(left) > 1
    assert store_index.documents(answers) == [shas[1]]
    lease.unlink()
    assert cli.run(["cache", "forget", shas[0]]) == 0
    assert "nothing is recorded" in capsys.readouterr().out


def test_forget_takes_the_rows_of_the_journal(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lease, other = tmp_path / "lease-of-ours.txt", tmp_path / "other.txt"
    for path in (lease, other):
        path.write_text(path.name)
    sha = sha256(lease.read_bytes()).hexdigest()
    journal = state_dir() / "journal.sqlite"
    with Journal.open() as opened:
        run_id = opened.start_run("batch")
        first, second, failed = opened.add_documents(run_id, [lease, other, lease])
        opened.note_outcome(first, Outcome(DocumentState.DONE, sha256=sha))
        opened.note_outcome(second, Outcome(DocumentState.DONE, sha256=key(9)))
        opened.note_outcome(failed, Outcome(DocumentState.UNREADABLE))
        opened.note_call(first, CallNote(key(1)))
        opened.finish_run(run_id, RunEnd.FINISHED, 0)
    assert run(capsys, "forget", str(lease), "--dry-run")[1]["journal_rows"] == 2
    assert run(capsys, "forget", str(lease))[1]["journal_rows"] == 2
    assert run(capsys, "forget", str(lease))[1]["journal_rows"] == 0
    with Journal.open() as opened:
        (row,) = opened.show(run_id).documents
    assert row.path == other
    held = b"".join(path.read_bytes() for path in journal.parent.glob("journal.sqlite*"))
    assert b"lease-of-ours" not in held and b"other.txt" in held
    assert run(capsys, "forget", key(77))[1]["journal_rows"] == 0


def test_answers_of_two_versions_are_forgotten_with_either(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest(LEASE, answers, FakeModel(), key(10))
    again = FakeModel()
    digest(LEASE, answers, again, key(11))
    assert not again.asked
    _, told = run(capsys, "forget", key(10))
    assert told["answers"] == told["shared"] > 0
    assert not store.scan(answers).answers


def test_a_warm_run_writes_no_list_again(answers: Path) -> None:
    digest(LEASE, answers, FakeModel(), key(10))
    before = sorted((answers.parent / "documents" / key(10)).iterdir())
    digest(LEASE, answers, FakeModel(), key(10))
    assert sorted((answers.parent / "documents" / key(10)).iterdir()) == before


def test_calls_are_listed_before_they_are_made(answers: Path) -> None:
    def killed(requests: Any, stage: str, *, reducing: bool = False) -> Answers:
        raise KeyboardInterrupt

    request = Request((), 5)
    with pytest.raises(KeyboardInterrupt):
        store_index.noted(killed, [key(10)], Models.of(FakeModel()), answers)([request], "stage")
    (listing,) = store_index.listings(answers, key(10))
    assert listing.keys == {request.key("f" * 64)} and listing.model == "fake"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99}', "\x00\x00", "null"])
def test_a_list_of_another_version_still_gives_its_keys(content: str, answers: Path) -> None:
    folder = answers.parent / "documents" / key(10)
    folder.mkdir(parents=True)
    (folder / "x.keys").write_text(f"{content}\n{key(1)}\nno key\n")
    put(answers, key(1))
    assert store_index.by_model(answers, store.scan(answers).answers)[""][0] == 1
    assert [one.key for one in store_index.traces(answers, key(10), store.scan(answers).answers).answers] == [key(1)]


def test_forget_needs_a_document(answers: Path, tmp_path: Path) -> None:
    assert cli.run(["cache", "forget"]) == ExitCode.USAGE
    assert cli.run(["cache", "forget", str(tmp_path / "gone.pdf")]) == ExitCode.INPUT
    with pytest.raises(InputError, match="cannot be read"):
        store_index.document_of(str(tmp_path))
    with pytest.raises(ValueError, match="sha256"):
        store_index.note(answers, "../evil", [key(1)], MODEL)


def test_a_list_that_cannot_be_written_ends_the_run(answers: Path) -> None:
    (answers.parent / "documents").write_text("a file in the way")
    with pytest.raises(UsageError, match="cannot be written"):
        store_index.note(answers, key(10), [key(1)], MODEL)
