"""The names of the formats: what the command line offers. No renderer is imported here."""

import importlib.util

from conspectus.errors import UsageError

# By format: what stands after `<name>.digest.` in the names of its files, and the library that it needs.
SUFFIXES = {
    "json": ("json",),
    "md": ("md",),
    "html": ("html",),
    "docx": ("docx",),
    "xlsx": ("xlsx",),
    "csv": ("duties.csv", "dates.csv"),
    "ics": ("ics",),
}
NEEDS = {"docx": "docx", "xlsx": "xlsxwriter", "ics": "icalendar"}
DEFAULT = "md,json,html"


def missing(form: str) -> UsageError:
    """The error of a format whose library is not installed."""
    return UsageError(
        f"--format {form} needs the package {NEEDS[form]}, which is not installed",
        "Install it: uv sync --extra export",
    )


def chosen_formats(names: str) -> tuple[str, ...]:
    """The suffixes of the files for a list such as `md,csv`, each once, in the order asked for.

    Raises UsageError for an unknown name, and where the library of a format is not installed.
    """
    wanted = tuple(dict.fromkeys(filter(None, (name.strip().lower().lstrip(".") for name in names.split(",")))))
    unknown = [name for name in wanted if name not in SUFFIXES]
    if unknown:
        raise UsageError(f"--format {names}: there is no format {', '.join(unknown)}", f"Use: {', '.join(SUFFIXES)}")
    if not wanted:
        raise UsageError("--format names nothing", f"Use one or more of: {', '.join(SUFFIXES)}")
    for name in wanted:
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            raise missing(name)
    return tuple(suffix for name in wanted for suffix in SUFFIXES[name])
