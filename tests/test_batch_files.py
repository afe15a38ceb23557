"""Finding the documents of a batch, and where their outputs go."""

import hashlib
import os
import tempfile
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.batch.files import find, listed
from conspectus.errors import UsageError
from conspectus.pdf.files import hash_of

PDF = b"%PDF-1.4 one"
OTHER = b"%PDF-1.4 another"


def write(path: Path, content: bytes = PDF) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def places(folder: Path, out: Path) -> set[str]:
    found = find([folder], out)
    return {str(item.place / item.path.name) for group in found.groups for item in group.items}


def test_one_folder_is_mirrored_from_its_root(tmp_path: Path) -> None:
    for name in ("a.pdf", "sub/a.pdf", "sub/deep/note.TXT", "合同/租约.pdf"):
        write(tmp_path / "in" / name, name.encode() + PDF)
    assert places(tmp_path / "in", tmp_path / "out") == {"a.pdf", "sub/a.pdf", "sub/deep/note.TXT", "合同/租约.pdf"}


def test_hidden_files_other_kinds_and_the_output_folder_are_left_out(tmp_path: Path) -> None:
    for name in (".hidden.pdf", ".git/x.pdf", "sheet.xlsx", "out/a.pdf.digest.md", "a.pdf"):
        write(tmp_path / name)
    assert places(tmp_path, tmp_path / "out") == {"a.pdf"}


def test_loops_end_and_a_folder_is_entered_once(tmp_path: Path) -> None:
    write(tmp_path / "in" / "sub" / "a.pdf")
    (tmp_path / "in" / "sub" / "up").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "twin").symlink_to(tmp_path / "in" / "sub")
    (tmp_path / "in" / "self").symlink_to("self")
    (found,) = find([tmp_path / "in"], tmp_path / "out").groups
    assert len(found.items) == 1


def test_links_to_files_are_followed_and_dead_ones_named(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere" / "a.pdf")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.pdf").symlink_to(target)
    (tmp_path / "in" / "dead.pdf").symlink_to(tmp_path / "gone")
    found = find([tmp_path / "in"], tmp_path / "out")
    assert [item.path.name for group in found.groups for item in group.items] == ["b.pdf"]
    ((item, error),) = found.lost
    assert item.path.name == "dead.pdf" and "link to a file that is not there" in error.message


def test_a_link_that_leads_in_a_circle_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "loop.txt").symlink_to("loop.txt")
    ((item, error),) = find([tmp_path / "in"], tmp_path / "out").lost
    assert item.path.name == "loop.txt" and "leads in a circle" in error.message
    assert error.remedy.startswith("See where it leads: ls -l ")


def test_a_file_that_grows_without_end_is_hashed_as_it_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "log.txt", b"a" * 3_000_000)
    read = os.read
    reads = 0

    def growing(descriptor: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        assert reads < 100, "it is read for ever"
        return read(descriptor, size) or b"b" * size

    monkeypatch.setattr(os, "read", growing)
    assert hash_of(path) == hashlib.sha256(b"a" * 3_000_000).hexdigest()


def test_what_can_be_no_document_is_told_and_loses_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "empty.pdf", b"")
    write(tmp_path / "page.pdf", b"<html>")
    write(tmp_path / "good.pdf")
    os.mkfifo(tmp_path / "pipe.pdf")
    found = find([tmp_path], tmp_path / "out")
    assert {item.path.name for item, _ in found.lost} == {"empty.pdf", "page.pdf", "pipe.pdf"}
    assert len(found.groups) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf").chmod(0)
    write(tmp_path / "sub" / "b.pdf")
    (tmp_path / "sub").chmod(0)
    try:
        found = find([tmp_path], tmp_path / "out")
    finally:
        (tmp_path / "sub").chmod(0o700)
    assert {item.path.name for item, _ in found.lost} == {"a.pdf", "sub"}


def test_identical_files_are_one_group_in_the_order_of_names(tmp_path: Path) -> None:
    for name, content in (("b.pdf", OTHER), ("a.pdf", PDF), ("c/a.pdf", PDF)):
        write(tmp_path / name, content)
    groups = find([tmp_path], tmp_path / "out").groups
    assert [[str(item.path.relative_to(tmp_path)) for item in group.items] for group in groups] == [
        ["a.pdf", "c/a.pdf"],
        ["b.pdf"],
    ]


def test_several_inputs_keep_their_own_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x/a.pdf", "y/a.pdf", "a.pdf"):
        write(tmp_path / name, name.encode() + PDF)
    far = write(Path(tempfile.mkdtemp(dir=tmp_path.parent)) / "a.pdf", b"far" + PDF)
    found = find([Path("x"), Path("y/a.pdf"), Path("y/../a.pdf"), far, Path("x/a.pdf")], tmp_path / "out")
    at = {str(item.place / item.path.name) for group in found.groups for item in group.items}
    assert at == {"x/a.pdf", "y/a.pdf", "a.pdf", str(far.relative_to("/"))}


def test_names_that_differ_in_case_alone_do_not_meet(tmp_path: Path) -> None:
    write(tmp_path / "Lease.pdf", PDF)
    write(tmp_path / "lease.pdf", OTHER)
    found = find([tmp_path], tmp_path / "out")
    items = [item for group in found.groups for item in group.items]
    assert len({str(item.place / item.path.name).casefold() for item in items}) == 2
    assert items[0].place == PurePath()


@given(st.lists(st.sampled_from(["a", "b", "A", "ä", "…/a", "b/a", "b/A", "合/a"]), min_size=1, unique=True))
def test_no_two_documents_share_a_place(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            write(Path(folder, "in", f"{name}.pdf"), name.encode() + PDF)
        found = find([Path(folder, "in")], Path(folder, "out"))
        at = [str(item.place / item.path.name).casefold() for group in found.groups for item in group.items]
    assert len(at) == len(set(at)) == len(names)


def test_lists_by_line_and_by_nul(tmp_path: Path) -> None:
    plain = tmp_path / "list.txt"
    plain.write_bytes("\ufeffa.pdf\r\n\n合同 1.pdf\n#b.pdf\n".encode())
    assert listed(plain) == [Path("a.pdf"), Path("合同 1.pdf"), Path("#b.pdf")]
    plain.write_bytes(b"a\nb.pdf\0c.pdf\0\xff.pdf\0")
    assert listed(plain) == [Path("a\nb.pdf"), Path("c.pdf"), Path(os.fsdecode(b"\xff.pdf"))]
    with pytest.raises(UsageError, match="cannot be read"):
        listed(tmp_path / "none")
