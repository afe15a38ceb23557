"""Conspectus: digests of long legal documents, each line checked against its source.

    from conspectus import digest
    result = digest("lease.pdf")

`digest`, `load_model`, `verify` and the names beside them are loaded when they are first used: importing this package
costs nothing. See conspectus.api.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conspectus.api import DigestResult, Finding, ReadingOptions, digest, load_model, verify
    from conspectus.errors import ConspectusError

__version__ = "0.1.0"

__all__ = [
    "ConspectusError",
    "DigestResult",
    "Finding",
    "ReadingOptions",
    "__version__",
    "digest",
    "load_model",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    where = "conspectus.errors" if name == "ConspectusError" else "conspectus.api"
    return getattr(importlib.import_module(where), name)


def __dir__() -> list[str]:
    return sorted(__all__)
