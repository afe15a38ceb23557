"""From pages to clauses, sentences and chunks: what statements rest on."""
