"""What is installed, what the machine has, what may be wrong."""
