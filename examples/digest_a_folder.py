"""Digest every PDF of a folder with one model, and print what must be done by whom.

python examples/digest_a_folder.py contracts digests
"""

import sys
from contextlib import closing
from pathlib import Path

from conspectus import ConspectusError, DigestResult, digest, load_model


def main(folder: Path, out: Path, model: str = "starter") -> list[DigestResult]:
    """Writes the digests of `folder` to `out`; a file that cannot be read does not stop the others."""
    results: list[DigestResult] = []
    with closing(load_model(model)) as loaded:
        for path in sorted(folder.glob("*.pdf")):
            try:
                result = digest(path, model=loaded, detail="brief")
            except ConspectusError as error:
                print(f"{path.name}: {error.message}", file=sys.stderr)
                continue
            result.save(out)
            show(result)
            results.append(result)
    return results


def show(result: DigestResult) -> None:
    """The overview, then the duties of each party, each with its clause and page."""
    print(f"{result.document.title or result.path.name}{' (PARTIAL)' if result.partial else ''}")
    for sentence in result.overview:
        first = result.statements[sentence.cites[0]]
        pages = ", ".join(result.document.pages[page].label for page in first.pages)
        print(f"  {sentence.text} ({first.clause}, p. {pages}, {sentence.verdict})")
    for duty in result.duties:
        print(f"  {duty.who} {duty.modality}: {duty.what} {duty.when}".rstrip())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
