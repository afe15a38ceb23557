"""Prefect tasks: when a step runs, when it runs again, and what is remembered. What it does is in `conspectus`."""
