"""Prefect's settings, made before it is imported, and its local server. Prefect itself is not imported here."""
