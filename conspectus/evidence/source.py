"""From a document to all that a digest is made from: its clauses and sentences."""

from conspectus.document import Document, Source
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.sentences import find_sentences


def to_source(document: Document) -> Source:
    """The document with its clauses and sentences."""
    clauses = find_clauses(document)
    return Source(document, clauses, find_sentences(document, clauses))
