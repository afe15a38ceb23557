"""`conspectus plan`: reads files as a run would and says what it would do. The model only counts."""

import json
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from conspectus.document import Detail
from conspectus.errors import ExitCode, InputError, UsageError, show
from conspectus.llama import Model
from conspectus.options import PlanOptions, ReadingOptions
from conspectus.pdf import named, read_pdf
from conspectus.planning import plan_facts, render_plan
from conspectus.progress import Plain, Quiet
from conspectus.reading import to_document
from conspectus.run import open_model
from conspectus.source import to_source

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
        model = open_model(options.model, options.context, Quiet())
    failed: list[InputError] = []
    with closing(model) if model is not None else nullcontext():
        for path in files:
            try:
                read = read_pdf(path, reading.read_options(), lambda done, total: reporter.count("pages", done, total))
                source = to_source(to_document(named(path), read, reading.language))
                facts = plan_facts(source, model, Detail(options.detail))
            except InputError as error:
                failed.append(error)
                show(error)
                continue
            print(json.dumps(facts, ensure_ascii=False) if options.json else render_plan(facts), file=sys.stdout)
    if failed:
        return ExitCode.PARTIAL if len(failed) < len(files) else failed[0].exit_code
    return ExitCode.OK
