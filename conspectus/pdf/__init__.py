"""Reading a file into pages, in child processes with limits."""

from conspectus.pdf.ocr import TESSERACT
from conspectus.pdf.reader import RECOGNISED, PageRead, Reading, ReadOptions, named, read_bytes, read_pdf

__all__ = ["RECOGNISED", "TESSERACT", "PageRead", "ReadOptions", "Reading", "named", "read_bytes", "read_pdf"]
