"""The commands. Prefect and the flows are imported only where a command needs them."""
