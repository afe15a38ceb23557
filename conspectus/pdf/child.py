"""The reading child: opens one PDF with pypdf and prints a JSON line a page.

It runs in a process of its own because a PDF can eat all memory, loop, or crash its reader; only this process dies.
Lines: `{"pages": n}` first, then `{"index", "label", "text", "status", "reason"}` for each page, or one
`{"error", "kind"}`.
"""

import contextlib
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


class Refusal(Exception):
    """The file cannot be read at all; `kind` is known to the parent."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


def limit_memory(bytes_: int) -> None:
    """Caps the address space, where the system knows how."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def open_pdf(path: Path) -> "PdfReader":
    """The open file; an owner password alone is no lock, so the empty user password is tried."""
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refusal("encrypted")
    except (Refusal, MemoryError):
        raise
    except FileNotDecryptedError as error:
        raise Refusal("encrypted") from error
    except Exception as error:
        # pypdf raises far more than its own errors on broken files (AttributeError, TypeError, AssertionError ...).
        raise Refusal("broken", f"{type(error).__name__}: {error}") from error
    return reader


def draws_something(page: "PageObject") -> bool:
    """True where a page without text still has content: most often a scan."""
    if page.get("/Annots"):
        return True
    contents = page.get_contents()
    return contents is not None and bool(contents.get_data().strip())


def read_page(page: "PageObject") -> dict[str, str]:
    """Text, status and reason of one page; any exception is the page's own, not the file's."""
    try:
        text = page.extract_text().encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if text.strip():
            return {"text": text, "status": "text", "reason": ""}
        if draws_something(page):
            return {"text": "", "status": "image-only", "reason": "content without text, probably a scan"}
        return {"text": "", "status": "empty", "reason": ""}
    except MemoryError:
        return {"text": "", "status": "failed", "reason": "out of memory"}
    except Exception as error:
        return {"text": "", "status": "failed", "reason": f"{type(error).__name__}: {error}"[:200]}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """What is printed for one file, in order."""
    reader = open_pdf(path)
    try:
        count = len(reader.pages)
    except Exception as error:
        raise Refusal("broken", f"{type(error).__name__}: {error}") from error
    try:
        labels = list(reader.page_labels)
    except Exception:
        labels = []
    labels += [str(index + 1) for index in range(len(labels), count)]
    yield {"pages": count}
    for index in range(count):
        try:
            page = reader.pages[index]
        except Exception as error:
            yield {"index": index, "label": labels[index], "text": "", "status": "failed", "reason": str(error)[:200]}
            continue
        yield {"index": index, "label": labels[index], **read_page(page)}


def main() -> None:
    """Reads argv[1] within argv[2] bytes of memory."""
    logging.disable(logging.CRITICAL)
    limit_memory(int(sys.argv[2]))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        for row in rows(Path(sys.argv[1])):
            out.write(json.dumps(row) + "\n")
            out.flush()
    except Refusal as refusal:
        out.write(json.dumps({"error": str(refusal)[:300], "kind": refusal.kind}) + "\n")
    except MemoryError:
        out.write(json.dumps({"error": "", "kind": "memory"}) + "\n")
    out.close()


if __name__ == "__main__":
    main()
