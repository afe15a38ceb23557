"""Runs at set times and runs as files come, and who is told of their end."""
