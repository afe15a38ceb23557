"""Conspectus: digests of long legal documents, each line checked against its source."""

__version__ = "0.1.0"
