"""What the tests of reading share."""

from pathlib import Path

import pytest
from rawpdf import lines

from conspectus.errors import InputError
from conspectus.pdf import ReadOptions, files, read_pdf

ALONE = ReadOptions(second_opinion=False)
TEXT = lines("The Tenant shall pay the rent.")


def refused(path: Path, options: ReadOptions = ALONE) -> str:
    with pytest.raises(InputError) as caught:
        read_pdf(path, options)
    assert caught.value.remedy
    line = caught.value.line()
    assert "\n" not in line and files.shown(path) in line
    return line
