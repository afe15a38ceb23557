"""One run of `conspectus digest`, and what every kind of run shares: session, progress, output, speeds."""
