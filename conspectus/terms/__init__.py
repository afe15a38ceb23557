"""Key terms, duties, references and conflicts of a document by code, before any model.

Nothing is imported here, so that `conspectus.document` and each module of rules stay independent of each other;
`conspectus.terms.collect` puts the tables together.
"""
