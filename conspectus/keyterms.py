"""The key terms of a document: where `collect` and `defined_terms` were before they became `conspectus.terms`."""

from conspectus.terms.collect import collect
from conspectus.terms.definitions import defined_terms

__all__ = ["collect", "defined_terms"]
