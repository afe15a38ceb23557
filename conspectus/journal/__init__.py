"""The run journal: what each run did to each document and each model call."""
