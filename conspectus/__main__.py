"""`python -m conspectus`."""

from conspectus.cli import main

main()
