"""`python -m conspectus`."""

from conspectus.cli.main import main

main()
