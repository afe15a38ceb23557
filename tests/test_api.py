"""The use from Python: a typed result, stored answers, errors with a remedy; importing costs nothing."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_model import FakeModel, shortened

import conspectus
from conspectus import ConspectusError, digest, load_model, verify
from conspectus.digesting.answers import lookup
from conspectus.document import Detail, Verdict
from conspectus.errors import EngineError, InputError, ModelError, UsageError
from conspectus.llama import Request

ROOT = Path(__file__).parent.parent
DATA = ROOT / "data"


@pytest.mark.usefixtures("fresh_folders")
def test_a_digest_with_its_parts(tmp_path: Path) -> None:
    stages: dict[str, tuple[int, int]] = {}
    model = FakeModel(rule=shortened, slots=3)
    result = digest(
        DATA / "lease.pdf",
        model=model,
        progress=lambda stage, done, total: stages.__setitem__(stage, (done, total)),
    )
    assert result.model_calls == len(model.asked) > 0 and result.cache_hits == 0 and not model.closed
    assert {line.verdict for line in result.statements} == {Verdict.VERIFIED, Verdict.VERBATIM}
    assert result.coverage.accounted == result.coverage.clauses == len(result.ledger)
    assert result.document.text[result.statements[0].spans[0].start :].strip()
    assert result.overview and result.key_terms and result.duties and result.sections
    assert not result.partial and result.why_partial == "" and result.unread_pages == ()
    assert stages["lease.pdf: pages read"] == (14, 14)
    assert all(done == total for done, total in stages.values())

    written = result.save(tmp_path / "out", "md,json")
    assert [path.name for path in written] == ["lease.pdf.digest.md", "lease.pdf.digest.json", "lease.pdf.run.json"]
    assert json.loads(written[1].read_bytes()) == result.to_dict()
    assert written[0].read_text("utf-8") == result.to_markdown()
    assert verify(written[1], DATA / "lease.pdf", strict=True) == ()


@pytest.mark.usefixtures("fresh_folders")
def test_the_second_time_no_call_is_made_and_the_bytes_are_the_same(tmp_path: Path) -> None:
    first = digest(DATA / "act-zh.pdf", model=FakeModel(rule=shortened), detail="brief")
    model = FakeModel(rule=shortened)
    second = digest(DATA / "act-zh.pdf", model=model, detail="brief")
    assert model.asked == [] and second.model_calls == 0 and second.cache_hits == first.model_calls
    assert first.file() == second.file()


@pytest.mark.usefixtures("fresh_folders")
def test_what_python_stored_the_flow_finds_and_prefect_reads() -> None:
    """One store: the file is what Prefect's own reader takes."""
    from prefect.results import ResultRecord

    from conspectus.digesting.answers import storage_key
    from conspectus.paths import answers_dir

    model = FakeModel(rule=shortened)
    digest(DATA / "act-zh.pdf", model=model, detail="brief")
    key = model.asked[0].key(model.info.fingerprint)
    found = lookup(answers_dir(), key)
    assert found is not None
    record: ResultRecord[Any] = ResultRecord.deserialize((answers_dir() / storage_key(key)).read_bytes())
    assert record.result["lines"] == list(found.lines) and record.metadata.expiration is None


@pytest.mark.usefixtures("fresh_folders")
def test_calls_that_fail_make_it_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.digesting.asking.ATTEMPTS_AFTER", (0.0,))

    def lost(request: Request) -> Any:
        raise EngineError("the engine was away", retryable=True)

    model = FakeModel(rule=lost)
    result = digest(DATA / "act-zh.pdf", model=model, detail="brief")
    assert result.partial and "the engine was away" in result.why_partial
    assert result.model_calls == len(model.asked) == 2 * len({request.key("f") for request in model.asked})


@pytest.mark.usefixtures("fresh_folders")
def test_a_passing_failure_costs_one_more_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.digesting.asking.ATTEMPTS_AFTER", (0.0,))
    model = FakeModel(EngineError("a slot was lost", retryable=True), rule=shortened)
    result = digest(DATA / "act-zh.pdf", model=model, detail="brief")
    assert not result.partial and result.model_calls == len(model.asked)


@pytest.mark.usefixtures("fresh_folders")
def test_a_model_that_cannot_be_used_ends_it() -> None:
    with pytest.raises(ModelError, match="gone"):
        digest(DATA / "act-zh.pdf", model=FakeModel(ModelError("gone")), detail="brief")


def test_errors_have_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        digest(tmp_path / "absent.pdf", model=FakeModel())
    assert "absent.pdf" in error.value.message and error.value.remedy
    with pytest.raises(UsageError, match="detail 'huge'"):
        digest(DATA / "lease.pdf", model=FakeModel(), detail="huge")  # type: ignore[arg-type]
    with pytest.raises(ConspectusError):
        load_model("absent.gguf")
    result = digest(DATA / "act-zh.pdf", model=FakeModel(), detail="brief", reduce=False)
    with pytest.raises(UsageError, match="no format"):
        result.save(tmp_path, "pdf")
    assert result.digest.detail is Detail.BRIEF and not result.digest.levels


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys, typing; before = set(sys.modules); import conspectus\n"
        "extra = {m for m in set(sys.modules) - before if m != 'conspectus'}\n"
        "assert not extra, extra\n"
        "from conspectus import digest\n"
        "assert callable(digest) and digest.__module__ == 'conspectus.api'\n"
        "import conspectus.digesting.assemble, conspectus.flows\n"
        "from conspectus import digest as again\n"
        "assert again is digest\n"
        "heavy = {'prefect', 'llama_cpp', 'pypdf'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_public_names_are_what_they_say() -> None:
    assert sorted(conspectus.__all__) == dir(conspectus)
    for name in conspectus.__all__:
        assert getattr(conspectus, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        conspectus.nothing  # noqa: B018
    # A module of such a name would take the place of the function as soon as it is imported.
    for name in set(conspectus.__all__) - {"__version__"}:
        assert not (ROOT / "conspectus" / f"{name}.py").exists()


def example() -> Any:
    spec = importlib.util.spec_from_file_location("digest_a_folder", ROOT / "examples/digest_a_folder.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("fresh_folders")
def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("lease.pdf", "act-zh.pdf"):
        (folder / name).write_bytes((DATA / name).read_bytes())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n")
    module, model = example(), FakeModel(rule=shortened)
    monkeypatch.setattr(module, "load_model", lambda _: model)
    results = module.main(folder, tmp_path / "out")
    assert [result.path.name for result in results] == ["act-zh.pdf", "lease.pdf"] and model.closed
    assert (tmp_path / "out" / "lease.pdf.digest.html").is_file()
    streams = capsys.readouterr()
    assert "broken.pdf" in streams.err and "must not" in streams.out and "p. 1" in streams.out
