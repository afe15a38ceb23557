"""Opening a PDF with pypdf: passwords in the spellings that writers use, recovery of a lost cross-reference table."""

import stringprep
import unicodedata
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdf import PdfReader

# Makes pypdf rebuild the table of objects by searching for them (verified on three files of the corpus).
RECOVERY = b"\nstartxref\n0\n%%EOF\n"


class Refusal(Exception):
    """The file cannot be read at all; `kind` is known to the parent, `detail` holds nothing of the document."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


def describe(error: BaseException) -> str:
    """What an exception says, without the words of the document that some messages quote."""
    name = type(error).__name__
    if name == "LimitReachedError":
        return "it goes beyond a safety limit of the reader: size, depth or number of parts (LimitReachedError)"
    if name == "DependencyError":
        return f"{str(error)[:80]} ({name})"
    if isinstance(error, RecursionError):
        return f"it is nested too deeply ({name})"
    if isinstance(error, MemoryError):
        return "out of memory"
    return f"the reader stopped with {name}"


def saslprep(password: str) -> str:
    """The password as PDF 2.0 wants it (RFC 4013): odd spaces plain, soft hyphens gone, NFKC."""
    kept = (" " if stringprep.in_table_c12(char) else char for char in password if not stringprep.in_table_b1(char))
    return unicodedata.normalize("NFKC", "".join(kept))


def spellings(password: str | None) -> Iterator[str | bytes]:
    """The passwords to try, in order. The empty one opens files that only an owner password protects."""
    yield ""
    if not password:
        return
    tried: list[bytes] = []
    for text in dict.fromkeys((password, saslprep(password), unicodedata.normalize("NFC", password))):
        for encoding in ("utf-8", "latin-1", "cp1252", "gb18030"):
            try:
                spelled = text.encode(encoding)
            except UnicodeEncodeError:
                continue
            if spelled not in tried:
                tried.append(spelled)
                yield spelled
        yield text  # pypdf has spellings of its own for str


def _attempt(data: bytes, password: str | None) -> "PdfReader":
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    reader = PdfReader(BytesIO(data))
    if not reader.is_encrypted:
        return reader
    for spelled in spellings(password):
        try:
            if reader.decrypt(spelled):
                return reader
        except (MemoryError, FileNotDecryptedError):
            raise
        except ImportError as error:
            raise Refusal("broken", describe(error)) from error
        except Exception:
            # An odd spelling may break the key derivation (UnicodeError); the next may fit.
            continue
    raise Refusal("wrong-password" if password else "encrypted")


def open_pdf(data: bytes, password: str | None) -> tuple["PdfReader", int]:
    """The open file and its number of pages.

    Raises Refusal where it is encrypted, broken beyond recovery, or its page tree is.
    """
    first: Exception | None = None
    for attempt in (data, data + RECOVERY):
        try:
            reader = _attempt(attempt, password)
            count = len(reader.pages)
        except (Refusal, MemoryError):
            raise
        except Exception as error:
            # pypdf raises far more than its own errors on broken files (AttributeError, TypeError, AssertionError ...).
            first = first or error
            continue
        if count or attempt is not data:
            return reader, count
    if first is not None:
        if type(first).__name__ == "FileNotDecryptedError":
            raise Refusal("encrypted") from first
        raise Refusal("broken", describe(first)) from first
    return reader, count
