"""What a finished document leaves beside its digest (`<name>.run.json`), and whether that still holds."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conspectus import __version__, prompts
from conspectus.digesting.assemble import Wish
from conspectus.document import Language
from conspectus.llama import ModelInfo

RUN_FILE = ".run.json"


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a digest besides the bytes of its document."""

    model: str  # fingerprint
    context: int
    prompts: str
    program: str
    detail: str
    reduce: bool
    floor: bool
    language: str  # "" where it is found
    ocr: bool

    @classmethod
    def of(cls, wish: Wish, model: ModelInfo, language: Language | None, *, ocr: bool) -> "Recipe":
        """The recipe of a run."""
        return cls(
            model=model.fingerprint,
            context=model.context,
            prompts=prompts.version(),
            program=__version__,
            detail=wish.detail.value,
            reduce=wish.reduce,
            floor=wish.floor,
            language=language.value if language else "",
            ocr=ocr,
        )

    def made(self, sha256: str, link: str) -> dict[str, Any]:
        """The same for one document: with the hash of its bytes, and the link by which its digest shows it."""
        return {**asdict(self), "sha256": sha256, "document": link}


@dataclass(frozen=True, slots=True)
class Record:
    """What a `<name>.run.json` says: how the digest was made, its status, all facts, the sha256 of each output."""

    made: Mapping[str, Any]
    status: str
    facts: Mapping[str, Any]
    outputs: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path, name: str) -> "Record | None":
        """The record of a document, by the name that its outputs begin with; None where none is, or a torn one."""
        try:
            content = json.loads((folder / f"{name}{RUN_FILE}").read_bytes())
        except (OSError, ValueError):
            return None
        if not isinstance(content, dict):
            return None
        made, outputs = content.get("made"), content.get("outputs")
        if not isinstance(made, dict) or not isinstance(outputs, dict):
            return None
        return cls(made, str(content.get("status", "")), content, outputs)

    def holds(self, folder: Path, made: Mapping[str, Any], names: Sequence[str]) -> bool:
        """Whether the digest would come out the same: made so, and each file in `names` as it was written."""
        if self.made != made or not set(names) <= self.outputs.keys():
            return False
        return all(_sha256(folder / file) == sha256 for file, sha256 in self.outputs.items())

    @property
    def outages(self) -> bool:
        """Whether model calls failed: another run may have more luck with the same document."""
        return bool(self.facts.get("engine_errors"))


def _sha256(path: Path) -> str:
    """The hash of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
