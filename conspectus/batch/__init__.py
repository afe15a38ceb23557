"""One run of `conspectus batch`: many documents, each by itself."""
