"""Plain text and Markdown as pages: encoding found, split at form feeds, binary refused."""

import codecs

from conspectus.document import PageStatus
from conspectus.errors import InputError
from conspectus.pdf.judge import judge, whole_characters
from conspectus.pdf.types import PageRead

# In the order of trust. gb18030 accepts much that is not Chinese, so its result must look like Chinese.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _marked(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    return None


def _looks_chinese(text: str) -> bool:
    wide = [char for char in text if ord(char) > 0x7F]
    common = sum(0x4E00 <= ord(char) <= 0x9FFF or 0x3000 <= ord(char) <= 0x303F or ord(char) >= 0xFF00 for char in wide)
    return bool(wide) and common >= 0.9 * len(wide)


def decode(data: bytes, name: str) -> str:
    """The text of a file in UTF-8, UTF-16 or UTF-32 with a mark, GB18030 or Windows-1252.

    Raises InputError for bytes that are none of these.
    """
    remedy = "Save it as UTF-8, or export it as PDF"
    marked = _marked(data)
    try:
        if marked:
            return data.decode(marked)
        if b"\0" in data:
            raise InputError(f"{name}: is not a text file (it holds NUL bytes)", remedy)
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if marked:
            raise InputError(f"{name}: is not valid {marked} text (byte {error.start})", remedy) from error
    for encoding, plausible in (("gb18030", _looks_chinese), ("cp1252", _looks_latin)):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if plausible(text):
            return text
    raise InputError(f"{name}: is not a text file in UTF-8, UTF-16 or GB18030", remedy)


def _looks_latin(text: str) -> bool:
    control = sum(ord(char) < 32 and char not in "\t\n\r\f" for char in text)
    return control == 0 and sum(ord(char) > 0x7F for char in text) * 5 < max(1, len(text))


def read_text(data: bytes, name: str) -> tuple[PageRead, ...]:
    """The pages of a text file: one for each form feed, labelled 1, 2, 3. Raises InputError for binary files."""
    text = decode(data, name).replace("\r\n", "\n").replace("\r", "\n")
    parts = text.split("\f")
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()  # a form feed that ends the last page
    return tuple(_page(index, whole_characters(part)) for index, part in enumerate(parts))


def _page(index: int, text: str) -> PageRead:
    verdict = judge(text)
    status = PageStatus.GARBLED if verdict.garbled else PageStatus.TEXT
    if not text.strip():
        status = PageStatus.EMPTY
    return PageRead(index, str(index + 1), text, status, verdict.reason, "text", 0.0, verdict.warnings)
