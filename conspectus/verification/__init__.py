"""A digest proved against its document."""
