"""The morning report of a run."""
