"""Reading a file into pages, in a child process with limits."""

from conspectus.pdf.reader import PageRead, Reading, read_pdf

__all__ = ["PageRead", "Reading", "read_pdf"]
