"""Quality of digests against what people use today, on the same model. See README.md."""
