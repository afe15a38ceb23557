"""`conspectus plan`: reads files as a run would and says what it would do. The model only counts."""

import json
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from conspectus.digesting.mapping import plan
from conspectus.document import Detail, Source
from conspectus.errors import ExitCode, InputError, UsageError, show
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.llama import Model
from conspectus.options.digest import PlanOptions, ReadingOptions
from conspectus.paths import answers_dir
from conspectus.pdf import named, read_pdf
from conspectus.plan.calls import MEASURE_SECONDS, measure, missing_requests
from conspectus.plan.facts import MemoryFacts, Surroundings, plan_facts, render_plan
from conspectus.run.digest import open_model
from conspectus.run.progress import Plain, Quiet
from conspectus.run.speeds import recall

NO_MODEL = "none"


def plan_files(files: Sequence[Path], options: PlanOptions, reading: ReadingOptions) -> ExitCode:
    """Prints the plan of each file; a file that cannot be read does not stop the others.

    With `--json` one JSON object a file. Raises UsageError, and ModelError where the model cannot be used.
    """
    if not files:
        raise UsageError("no file given", "Name one or more documents: conspectus plan lease.pdf")
    reporter = Quiet() if options.quiet or options.json else Plain()
    model: Model | None = None
    if options.model != NO_MODEL:
        model = open_model(options.model, options.context, Quiet(), options.access)
    memory = _memory(options) if model is not None else None
    failed: list[InputError] = []
    with closing(model) if model is not None else nullcontext():
        for path in files:
            try:
                read = read_pdf(path, reading.read_options(), lambda done, total: reporter.count("pages", done, total))
                source = to_source(to_document(named(path), read, reading.language))
                facts = plan_facts(source, model, Detail(options.detail), _around(source, model, memory, options))
            except InputError as error:
                failed.append(error)
                show(error)
                continue
            line = json.dumps({"message_type": "plan", **facts}, ensure_ascii=False)
            print(line if options.json else render_plan(facts), file=sys.stdout)
    if failed:
        return ExitCode.PARTIAL if len(failed) < len(files) else failed[0].exit_code
    return ExitCode.OK


def _around(source: Source, model: Model | None, memory: MemoryFacts | None, options: PlanOptions) -> Surroundings:
    """Stored answers, memory and speed; with `--measure` the model is tried on the first calls not answered yet."""
    answers = answers_dir()
    if model is None:
        return Surroundings(answers)
    speed, told = recall(model.info.fingerprint), "the last runs"
    if options.measure:
        requests = missing_requests(plan(source, Detail(options.detail), model), model, answers)
        measured = measure(requests, model)
        if measured is not None:
            speed, told = measured, f"measured for {min(measured.seconds, MEASURE_SECONDS):.0f} s"
    return Surroundings(answers, memory, speed, told)


def _memory(options: PlanOptions) -> MemoryFacts | None:
    """What the model takes here; None for one on a server, or whose file says too little."""
    from conspectus.llama.gguf import parts, read_header, resolve_model
    from conspectus.llama.inspect_file import is_address
    from conspectus.llama.planned import Asked, engine_plan
    from conspectus.llama.planner_machine import detect
    from conspectus.llama.planner_table import merged

    if is_address(options.model):
        return None
    header = merged([read_header(part) for part in parts(resolve_model(options.model))])
    if not header.number("block_count"):
        return None
    made = engine_plan(Asked(options.context), header, detect())
    return MemoryFacts(main=made.host.total, gpu=made.gpu.total, fits=made.fits, notes=list(made.notes))
