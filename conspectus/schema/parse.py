"""digest.json from bytes and to bytes. What cannot be read is told in one line with its remedy."""

import hashlib
import json
import re
import sys
from pathlib import Path

from pydantic import ValidationError

from conspectus.errors import InputError
from conspectus.pdf.files import shown
from conspectus.schema.models import SCHEMA, VERSION, DigestFile

STDIN = Path("-")
_AGAIN = "Make it again, stored answers are used: conspectus digest FILE"
_NAME = re.compile(r"conspectus-digest-(\d+)")


def dump(digest: DigestFile) -> bytes:
    """UTF-8, two spaces of indent, a line feed last; equal digests give equal bytes."""
    return f"{digest.model_dump_json(by_alias=True, indent=2)}\n".encode()


def checksum_of(digest: DigestFile) -> str:
    """The sha256 of the digest without its checksum, as `dump` writes it."""
    return hashlib.sha256(dump(digest.model_copy(update={"checksum": ""}))).hexdigest()


def load(path: Path) -> tuple[DigestFile, bytes]:
    """The digest in a file (`-`: stdin), and the file's bytes. Raises InputError."""
    if path == STDIN:
        data, name = sys.stdin.buffer.read(), "stdin"
    else:
        name = shown(path)
        try:
            data = path.read_bytes()
        except IsADirectoryError as error:
            raise InputError(f"{name}: is a folder", f"Name the digest in it: {path}/NAME.pdf.digest.json") from error
        except FileNotFoundError as error:
            raise InputError(f"{name}: there is no such file", f"See what is there: ls {path.parent}") from error
        except OSError as error:
            raise InputError(f"{name}: cannot be read ({error.strerror})", f"Check it: ls -l {path}") from error
    return parse(data, name), data


def parse(data: bytes, name: str) -> DigestFile:
    """The digest that some bytes are. Raises InputError: no digest, cut, of another version, edited by hand."""
    if data[:5] == b"%PDF-":
        raise InputError(
            f"{name}: is a PDF, not a digest", "Name the digest first: conspectus verify DIGEST.json FILE.pdf"
        )
    if not data.strip():
        raise InputError(f"{name}: is empty", _AGAIN)
    _check_version(data, name)
    try:
        return DigestFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        more = f" and {error.error_count() - 1} more" if error.error_count() > 1 else ""
        what = f"{name}: is not as this program writes digests ({place}: {first['msg']}{more})"
        raise InputError(what, f"It was edited or damaged. {_AGAIN}") from error


def _check_version(data: bytes, name: str) -> None:
    try:
        found = json.loads(data)
    except json.JSONDecodeError as error:
        if data.rstrip()[-1:] != b"}":
            raise InputError(f"{name}: ends in the middle, at byte {len(data)}", f"It was cut. {_AGAIN}") from error
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name}: is no JSON ({where}: {error.msg})", f"It was edited or damaged. {_AGAIN}") from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{name}: is no JSON in UTF-8", f"It was damaged on its way. {_AGAIN}") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    match = _NAME.fullmatch(schema) if isinstance(schema, str) else None
    if match is None:
        raise InputError(f"{name}: is JSON, but no digest of this program", "Name a file NAME.digest.json")
    version = int(match[1][:9])
    if version > VERSION:
        raise InputError(
            f"{name}: is of format {schema}, newer than this program, which reads {SCHEMA}", "Update conspectus"
        )
    if version < VERSION:
        raise InputError(f"{name}: is of format {schema}, which conspectus before {SCHEMA} wrote", _AGAIN)
