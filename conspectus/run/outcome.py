"""What came of one document, for people and as plain data."""

from typing import Any

from conspectus.digesting.assemble import Coverage, coverage
from conspectus.digesting.desk import DeskCounts
from conspectus.document import Digest
from conspectus.plural import many


def facts_of(made: Digest, counts: DeskCounts, seconds: float) -> dict[str, Any]:
    """What the run of one file was: counts, tokens, seconds. Kept out of the digest, whose bytes do not change."""
    count = coverage(made)
    return {
        "status": "partial" if made.partial else "complete",
        "pages": count.pages,
        "clauses": count.clauses,
        "statements": count.verdicts,
        "model_calls": counts.model_calls,
        "cache_hits": counts.cache_hits,
        "prompt_tokens": counts.prompt_tokens,
        "generated_tokens": counts.generated_tokens,
        "seconds": round(seconds, 1),
    }


def sentence_of(count: Coverage) -> str:
    """One line of what a digest covers."""
    return (
        f"{count.pages_read:,} of {many(count.pages, 'page')} read, {count.accounted:,} of "
        f"{many(count.clauses, 'clause')} accounted for, {count.verdicts['verified']:,} verified and "
        f"{many(count.verdicts['verbatim'], 'verbatim line')}"
    )


def why_partial(made: Digest) -> str:
    """What is missing from a partial digest; empty where nothing is."""
    if not made.partial:
        return ""
    pages = ", ".join(page.label for page in made.unread_pages)
    return f"pages not read: {pages}" if pages else f"model calls failed: {'; '.join(made.engine_errors)}"
