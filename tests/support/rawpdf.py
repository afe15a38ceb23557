"""PDFs from raw objects, for what no writer library would write: hidden text, layers, columns, damaged streams."""

import zlib
from pathlib import Path


def raw_pdf(
    path: Path,
    *contents: str | bytes,
    resources: str = "",
    xobjects: str = "",
    page: str = "",
    root: str = "",
    more: str = "",
) -> Path:
    """A PDF with one page for each content stream.

    Objects 1 to 4 are the catalogue, the page tree, Helvetica as /F1 and a grey 1 x 1 image; `more` are further objects
    with numbers from 90 on, `resources`, `xobjects`, `page` and `root` what is added to those dictionaries.
    """
    objects: dict[int, bytes] = {
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        4: b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
        b"stream\n\x80\nendstream",
    }
    kids = []
    for index, content in enumerate(contents):
        data = content if isinstance(content, bytes) else content.encode("latin-1")
        number = 10 + 2 * index
        kids.append(f"{number} 0 R")
        objects[number] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {number + 1} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>/XObject<</Im 4 0 R{xobjects}>>{resources}>>{page}>>"
        ).encode()
        objects[number + 1] = b"<</Length %d>>stream\n%s\nendstream" % (len(data), data)
    objects[1] = f"<</Type/Catalog/Pages 2 0 R{root}>>".encode()
    objects[2] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    out, places = b"%PDF-1.7\n", {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    for part in filter(None, more.split("endobj")):
        number = int(part.split()[0])
        places[number] = len(out)
        out += part.strip().encode("latin-1") + b"\nendobj\n"
    start = len(out)
    out += b"xref\n" + b"".join(b"%d 1\n%010d 00000 n \n" % (number, place) for number, place in sorted(places.items()))
    out += b"trailer<</Size 200/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start
    path.write_bytes(out)
    return path


def lines(*texts: str, x: float = 72, y: float = 700, size: float = 11, step: float = 14) -> str:
    """A content stream that shows one text a line from (x, y) down."""
    shown = "".join(f"1 0 0 1 {x:g} {y - step * index:g} Tm ({text}) Tj\n" for index, text in enumerate(texts))
    return f"BT /F1 {size:g} Tf\n{shown}ET\n"


def bomb(path: Path, megabytes: int) -> Path:
    """A page whose content unpacks to that many megabytes."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(megabytes)) + packer.flush()
    raw_pdf(path, packed)
    plain, filtered = b"<</Length %d>>" % len(packed), b"<</Length %d/Filter/FlateDecode>>" % len(packed)
    path.write_bytes(path.read_bytes().replace(plain, filtered))
    return path
