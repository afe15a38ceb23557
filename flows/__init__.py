"""Prefect flows: each a table of contents of one job."""
