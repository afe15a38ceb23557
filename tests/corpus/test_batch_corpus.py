"""A folder in which one file in five is broken in some way: each gets a line, and nothing else is lost."""

import os
import shutil
from pathlib import Path

import pytest
from batches import Batch

from conspectus.batch.crew import Limits
from conspectus.journal.journal import RunEnd
from conspectus.pdf import ReadOptions
from conspectus.run.session import Reading

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus"),
]
GOOD = int(os.environ.get("CONSPECTUS_BATCH_FILES", "150"))


def test_a_folder_with_broken_files_of_all_kinds(tmp_path: Path) -> None:
    batch = Batch(tmp_path)
    batch.limits = Limits(4)
    # The pages are bounded, not the kinds of damage: five thousand pages are another test's matter.
    batch.reading = Reading(options=ReadOptions(memory_mb=512, seconds=10), ahead=8, readers=2)
    for number in range(GOOD):
        batch.add(f"{number % 7}/contract-{number:04}.txt", number)
    broken = [path for folder in ("nasty", "nasty_synth") for path in sorted((CORPUS / folder).glob("*.pdf"))]
    for path in broken:
        if "5000_pages" not in path.name:
            shutil.copy(path, batch.folder / path.name)
    (batch.folder / "empty.pdf").touch()
    (batch.folder / "torn.pdf").write_bytes(
        (CORPUS / "contracts" / "cuad_train_01_service_gpaq.pdf").read_bytes()[:9000]
    )
    (batch.folder / "page.pdf").write_text("<html>not found</html>")
    (batch.folder / "dead.pdf").symlink_to("nowhere")
    (batch.folder / "1" / "loop").symlink_to(batch.folder)
    os.mkfifo(batch.folder / "pipe.pdf")
    assert batch.run() is RunEnd.FINISHED
    states = batch.states()
    assert all(state == "done" for name, state in states.items() if "contract-" in name)
    assert sum("contract-" in name for name in states) == GOOD
    told = [one for one in batch.results.values() if one.outcome.state.value not in ("done", "duplicate")]
    assert len(told) >= 15
    assert all(one.outcome.why for one in told)
    assert "failed" not in states.values(), [one.outcome.why for one in told]
    first = {str(path): path.read_bytes() for path in batch.out.rglob("*") if path.is_file()}
    assert batch.run() is RunEnd.FINISHED
    assert batch.digested == []
    assert {str(path): path.read_bytes() for path in batch.out.rglob("*") if path.is_file()} == first
