"""Reading a file into pages, in a child process with limits."""

from conspectus.pdf.reader import PageRead, Reading, ReadOptions, read_pdf

__all__ = ["PageRead", "ReadOptions", "Reading", "read_pdf"]
