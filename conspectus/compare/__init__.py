"""Two versions of a document: clauses aligned, differences marked, worded where asked, and written."""
