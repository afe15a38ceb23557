"""Reading as a whole: limits, dead children, passwords, bad files and names, text files, OCR."""

import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pdfs import write_pdf
from rawpdf import bomb, lines, raw_pdf
from reading import ALONE, TEXT, refused

from conspectus.document import PageStatus
from conspectus.errors import InputError
from conspectus.pdf import Reading, ReadOptions, child, pool, read_bytes, read_pdf
from conspectus.pdf.types import Progress


def test_pages_come_in_order_with_progress(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *(lines(f"page number {n}") for n in range(120)))
    seen: list[tuple[int, int]] = []
    progress: Progress = lambda done, total: seen.append((done, total))  # noqa: E731
    reading = read_pdf(path, ReadOptions(workers=2, second_opinion=False), progress)
    assert [page.text for page in reading.pages] == [f"page number {n}" for n in range(120)]
    assert [page.index for page in reading.pages] == list(range(120))
    assert seen == [(n, 120) for n in range(1, 121)]
    assert reading.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert all(page.engine == "pypdf" and page.seconds >= 0 for page in reading.pages)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_child_that_dies_loses_one_page(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *(lines(f"page number {n}") for n in range(40)))
    deaths = {7, 8, 39}
    take = pool.Pool._take
    dead: set[int] = set()

    def deadly(self: pool.Pool, worker: pool.Worker, answer: pool.Row) -> None:
        if worker.process.pid in dead:
            return  # it may have been quicker than the signal
        take(self, worker, answer)
        if answer.get("at") in deaths:
            dead.add(worker.process.pid)
            worker.process.kill()

    monkeypatch.setattr(pool.Pool, "_take", deadly)
    pages = read_pdf(path, ReadOptions(workers=workers, second_opinion=False)).pages
    assert len(pages) == 40
    assert {page.index for page in pages if page.status is PageStatus.FAILED} == deaths
    assert {page.reason for page in pages if page.index in deaths} == {"the reading process died (SIGKILL)"}
    assert all(page.text == f"page number {page.index}" for page in pages if page.index not in deaths)


@pytest.mark.parametrize("at", [None, 0, 17])
def test_a_child_that_somebody_killed_once_costs_nothing(
    at: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *(lines(f"page number {n}") for n in range(20)))
    calm = read_pdf(path)
    take, start = pool.Pool._take, pool.Pool._start
    dead: set[int] = set()

    def kill(worker: pool.Worker) -> None:
        dead.add(worker.process.pid)
        worker.process.kill()

    def deadly_take(self: pool.Pool, worker: pool.Worker, answer: pool.Row) -> None:
        if worker.process.pid in dead:
            return
        take(self, worker, answer)
        if answer.get("at") == at and at is not None and not dead:
            kill(worker)

    def deadly_start(self: pool.Pool) -> pool.Worker:
        worker = start(self)
        if at is None and not dead:
            kill(worker)
        return worker

    monkeypatch.setattr(pool.Pool, "_take", deadly_take)
    monkeypatch.setattr(pool.Pool, "_start", deadly_start)
    again = read_pdf(path)
    assert len(dead) == 1
    assert [(page.text, page.status, page.engine, page.warnings) for page in again.pages] == [
        (page.text, page.status, page.engine, page.warnings) for page in calm.pages
    ]
    assert again.warnings == calm.warnings


def test_a_page_beyond_its_time_is_skipped(tmp_path: Path) -> None:
    heavy = "0 0 m 10 10 l S\n" * 400_000 + TEXT
    path = raw_pdf(tmp_path / "x.pdf", TEXT, heavy, TEXT)
    pages = read_pdf(path, ReadOptions(seconds=1.2, seconds_a_page=0.3, second_opinion=False)).pages
    assert pages[1].status is PageStatus.SKIPPED
    assert "0.3 seconds" in pages[1].reason or "time limit" in pages[1].reason or "more than" in pages[1].reason
    assert pages[0].status is PageStatus.TEXT


def test_the_whole_file_beyond_its_time_keeps_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *(lines(f"page number {n}") for n in range(30)))
    done = pool.Pool._done

    def slow(self: pool.Pool, index: int, row: pool.Row) -> None:
        done(self, index, row)
        if len(self.rows) == 5:
            self._give_up("the time limit of 1 seconds was reached")

    monkeypatch.setattr(pool.Pool, "_done", slow)
    pages = read_pdf(path, ALONE).pages
    assert len(pages) == 30
    assert {page.status for page in pages} == {PageStatus.TEXT, PageStatus.SKIPPED}
    assert {page.reason for page in pages} == {"", "the time limit of 1 seconds was reached"}


def test_bomb_costs_its_page_alone(tmp_path: Path) -> None:
    (page,) = read_pdf(bomb(tmp_path / "x.pdf", 200), ALONE).pages
    assert page.status is PageStatus.FAILED and "LimitReachedError" in page.reason


def test_too_little_memory_is_an_error_of_one_line(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", TEXT)
    assert refused(path, ReadOptions(memory_mb=24, second_opinion=False))


@pytest.mark.parametrize("password", ["pw", "密码pässwörd", "p\u00adw\u00a0x", "naïve"])
def test_passwords_open(password: str, tmp_path: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(raw_pdf(tmp_path / "plain.pdf", TEXT)))
    writer.encrypt(password, "owner", algorithm="AES-256")
    writer.write(tmp_path / "x.pdf")
    path = tmp_path / "x.pdf"
    (page,) = read_pdf(path, ReadOptions(password=password)).pages
    assert page.text.startswith("The Tenant")
    assert "needs a password" in refused(path) and "--password-file" in refused(path)
    wrong = refused(path, ReadOptions(password="wr\u00f6ng"))
    assert "the given password does not open it" in wrong and "wr\u00f6ng" not in wrong


def test_owner_password_alone_asks_nothing(tmp_path: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(raw_pdf(tmp_path / "plain.pdf", TEXT)))
    writer.encrypt("", "owner", algorithm="AES-128")
    writer.write(tmp_path / "x.pdf")
    assert read_pdf(tmp_path / "x.pdf", ALONE).pages[0].status is PageStatus.TEXT


def test_password_is_on_no_command_line_and_in_no_repr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    popen = subprocess.Popen

    def spy(*arguments: object, **more: object) -> object:
        calls.append((arguments, more))
        return popen(*arguments, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", spy)
    options = ReadOptions(password="hunter2")
    read_pdf(write_pdf(tmp_path / "x.pdf", "text", password="hunter2"), options)
    assert calls and "hunter2" not in repr(calls) and "hunter2" not in repr(options)
    assert not any("hunter2" in value for value in os.environ.values())


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "x.pdf")
    return folder / "x.pdf"


def unix_socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "x.pdf"))
    return folder / "x.pdf"


def directory(folder: Path) -> Path:
    (folder / "x.pdf").mkdir()
    return folder / "x.pdf"


def word(folder: Path) -> Path:
    (folder / "x.pdf").write_bytes(b"PK\x03\x04word/document.xml")
    return folder / "x.pdf"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (fifo, "is not a regular file"),
        (unix_socket, "is not a regular file"),
        (directory, "is a folder"),
        (word, "a zip archive or an Office document"),
        (lambda folder: folder / "gone.pdf", "there is no such file"),
        (lambda folder: folder / ("x" * 300), "cannot be opened"),
    ],
    ids=["fifo", "socket", "directory", "word", "absent", "name-too-long"],
)
def test_what_is_no_file_is_refused(make: Callable[[Path], Path], said: str, tmp_path: Path) -> None:
    assert said in refused(make(tmp_path))


@pytest.mark.parametrize(
    "name", ["two\nlines.pdf", "📜 契約 \x1b[31m.pdf", "n" * 246 + ".pdf", " -rf.pdf", "a\u202eb.pdf"]
)
def test_odd_names_are_read_and_named_on_one_line(name: str, tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / name, TEXT)
    assert read_pdf(path, ALONE).pages[0].status is PageStatus.TEXT
    path.write_bytes(b"%PDF-1.7 and then nothing")
    line = refused(path)
    assert line.isprintable()


def test_sha256_is_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *(lines(f"old {n}") for n in range(30)))
    before = hashlib.sha256(path.read_bytes()).hexdigest()

    def change(done: int, _: int) -> None:
        if done == 1:
            raw_pdf(path, *(lines(f"new {n}") for n in range(30)))

    reading = read_pdf(path, ALONE, change)
    assert reading.sha256 == before
    assert all(page.text.startswith("old") for page in reading.pages)


def test_children_are_gone_afterwards(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", *([TEXT] * 120))
    workers: list[pool.Worker] = []
    start = pool.Pool._start

    def keep(self: pool.Pool) -> pool.Worker:
        workers.append(start(self))
        return workers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool.Pool, "_start", keep)

        def stop(done: int, _: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            read_pdf(path, ReadOptions(workers=2), stop)
    assert workers and all(worker.process.returncode is not None for worker in workers)


def test_child_leaves_when_its_parent_is_killed(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", TEXT)
    code = (
        "import sys, time; from pathlib import Path; from conspectus.pdf import ReadOptions; from conspectus.pdf.files"
        " import take_snapshot; from conspectus.pdf.pool import Worker; s = take_snapshot(Path(sys.argv[1]), 99);"
        " w = Worker(s, ReadOptions(), 'pypdf'); print(w.process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    number = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(200):
        status = Path(f"/proc/{number}/stat")
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(number, 9)
    pytest.fail("the reading child outlived its parent")


def test_recovery_of_a_lost_table(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", TEXT)
    path.write_bytes(path.read_bytes().split(b"startxref")[0])
    assert read_pdf(path, ALONE).pages[0].status is PageStatus.TEXT


@pytest.mark.parametrize("share", range(10, 100, 10))
def test_truncated_files_end_in_pages_or_in_an_error(share: int, tmp_path: Path) -> None:
    data = raw_pdf(tmp_path / "x.pdf", TEXT, TEXT).read_bytes()
    path = tmp_path / "cut.pdf"
    path.write_bytes(data[: len(data) * share // 100])
    check_outcome(lambda: read_pdf(path))


def check_outcome(read: Callable[[], Reading]) -> None:
    try:
        reading = read()
    except InputError as error:
        assert error.remedy and "\n" not in error.line()
        return
    assert reading.pages and all(page.status in PageStatus for page in reading.pages)
    assert all(char < "\ud800" or char > "\udfff" for page in reading.pages for char in page.text)


def flipped(data: bytes, seed: int) -> bytes:
    """`data` with three bytes changed, the same ones for the same seed."""
    import random

    chance = random.Random(seed)
    changed = bytearray(data)
    for _ in range(3):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def sources(folder: Path) -> list[bytes]:
    form = "90 0 obj <</Type/OCG/Name(x)>> endobj"
    return [
        raw_pdf(folder / "a.pdf", TEXT, "q 612 0 0 792 0 0 cm /Im Do Q", more=form).read_bytes(),
        write_pdf(folder / "b.pdf", "The Tenant shall pay.", "Second page").read_bytes(),
    ]


@pytest.mark.parametrize("source", [0, 1])
def test_200_flips_raise_nothing_but_refusals(source: int, tmp_path: Path) -> None:
    data = sources(tmp_path)[source]
    setup = {"engine": "pypdf", "password": None, "detect": True, "page_seconds": 5.0}
    for seed in range(200):
        try:
            engine = child.open_engine(flipped(data, seed), setup)
        except child.Refusal:
            continue
        rows = [child.read_page(engine, index, 5.0) for index in range(min(4, engine.head()["pages"]))]
        assert all(row["status"] in set(PageStatus) for row in rows), seed


@pytest.mark.parametrize("seed", [3, 17, 42])
def test_flips_through_the_real_child(seed: int, tmp_path: Path) -> None:
    for number, data in enumerate(sources(tmp_path)):
        check_outcome(lambda data=data, number=number: read_bytes(flipped(data, seed), f"{number}.pdf"))  # type: ignore[misc]
