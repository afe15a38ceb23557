"""Reading a file into pages, in child processes with limits."""

from conspectus.pdf.reader import PageRead, Reading, ReadOptions, named, read_bytes, read_pdf

__all__ = ["PageRead", "ReadOptions", "Reading", "named", "read_bytes", "read_pdf"]
