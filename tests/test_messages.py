from pathlib import Path

import pytest

from conspectus.llama.messages import KNOWN, explain, find, page

ROOT = Path(__file__).parent.parent


def test_the_page_is_made_from_the_table() -> None:
    assert (ROOT / "docs/errors.md").read_text("utf-8") == page(), (
        "run: python -m conspectus.llama.messages > docs/errors.md"
    )


def test_each_message_is_its_own_heading_and_finds_itself() -> None:
    headings = [line.removeprefix("### ") for line in page().splitlines() if line.startswith("### ")]
    assert headings == sorted(set(headings), key=headings.index) and len(headings) == len(KNOWN)
    for known in KNOWN:
        assert find(f"x: {known.text.replace('…', '17')} y") is known, known.text
        assert known.cause.endswith((".", ")")) and known.remedy


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("unknown model architecture: 'qwen9'", "Update conspectus"),
        ("tensor 'blk.0.ffn_up.weight' data is not within the file bounds, model is corrupted or incomplete", "again"),
        ("tensor 'a' has invalid ggml type 57. should be in [0, 43)", "Update conspectus"),
        ("invalid magic characters: '<!DO', expected 'GGUF'", "Download the file again"),
        ("failed to allocate buffer for kv cache", "conspectus model plan FILE"),
        ("failed to allocate compute pp buffers", "conspectus model plan FILE"),
        ("the engine ended (killed by SIGILL)", "GGML_NATIVE"),
        ("the engine ended (killed by SIGKILL)", "conspectus model plan FILE"),
    ],
)
def test_a_message_leads_to_its_remedy(message: str, remedy: str) -> None:
    cause, found = explain(message)
    assert cause and remedy in found


def test_an_unknown_message_is_not_explained() -> None:
    assert explain("something else") == ("", "")


def test_commands_in_remedies_exist() -> None:
    from conspectus.cli.main import app

    for known in KNOWN:
        if "conspectus doctor" in known.remedy:
            assert app["doctor"]
        if "conspectus model " in known.remedy:
            word = known.remedy.split("conspectus model ")[1].split()[0]
            assert app["model"][word]
