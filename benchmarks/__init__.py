"""Measurements, run from the root of the repository; a package, so that no other `benchmarks` can stand in for it."""
