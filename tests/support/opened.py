"""Files that were rendered, opened again for the tests."""

import csv
import io
import xml.etree.ElementTree as ET
import zipfile

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def workbook(content: bytes) -> dict[str, list[list[str]]]:
    """The cells of each sheet as text; a formula anywhere fails."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        strings = ["".join(si.itertext()) for si in ET.fromstring(book.read("xl/sharedStrings.xml"))]
        names = [s.get("name", "") for s in ET.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet")]
        made = {}
        for place, name in enumerate(names, 1):
            sheet = ET.fromstring(book.read(f"xl/worksheets/sheet{place}.xml"))
            assert not list(sheet.iter(f"{MAIN}f")) and not list(sheet.iter(f"{MAIN}hyperlink"))
            rows = []
            for row in sheet.iter(f"{MAIN}row"):
                cells = list(row.iter(f"{MAIN}c"))
                assert all(c.get("t") == "s" or c.find(f"{MAIN}v") is None for c in cells)
                values = [c.findtext(f"{MAIN}v") for c in cells]
                rows.append([strings[int(value)] if value is not None else "" for value in values])
            made[name] = rows
        return made


def csv_rows(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
