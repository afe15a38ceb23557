"""Repairs of the text of pages, each with a map back to where a character stood."""
