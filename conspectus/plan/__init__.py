"""What a run would do, and how long it may take."""
