"""The rules for Chinese statements."""
