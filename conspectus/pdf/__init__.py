"""Reading a file into pages, in child processes with limits."""

from conspectus.pdf.reader import PageRead, Reading, ReadOptions, read_bytes, read_pdf

__all__ = ["PageRead", "ReadOptions", "Reading", "read_bytes", "read_pdf"]
