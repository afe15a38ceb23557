"""What the formats that are zip files share: the library behind an extra, and bytes that do not change by the clock."""

import importlib
import io
import zipfile
from datetime import UTC, datetime
from types import ModuleType

from conspectus.render.formats import NEEDS, missing

# The oldest time that a zip file can hold: the same digest gives the same bytes, whenever it is written.
FIXED = datetime(1980, 1, 1, tzinfo=UTC)


def need(form: str) -> ModuleType:
    """The library of a format. Raises UsageError where it is not installed."""
    try:
        return importlib.import_module(NEEDS[form])
    except ImportError as error:
        raise missing(form) from error


def timeless(content: bytes) -> bytes:
    """The same zip file with FIXED as the time of each member."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            info = zipfile.ZipInfo(member.filename, FIXED.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(member))
    return made.getvalue()
