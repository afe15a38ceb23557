"""A statement against its evidence: deterministic rules, no model."""
