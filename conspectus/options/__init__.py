"""What a user may ask for, as the command line shows it."""
