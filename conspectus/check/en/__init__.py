"""The rules for English statements."""
