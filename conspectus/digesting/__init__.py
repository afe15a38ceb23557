"""From evidence to a digest: what matters, map, answers stored and read, retries, the promised length, reduce."""
