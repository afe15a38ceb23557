"""The systems that are compared, and the making of one cell: a system on a document with a model."""

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.quality import driver, peers
from benchmarks.quality.asking import Asker, OutOfTime
from benchmarks.quality.materials import (
    CIVIL_CODE,
    PLAIN,
    Material,
    document_from_text,
    document_of,
    questions,
    source_of,
)
from conspectus.digesting.assemble import Wish
from conspectus.document import Detail
from conspectus.errors import ConspectusError
from conspectus.llama import Completion, Finish, Message, Model, ModelInfo, Request
from conspectus.render.json import as_dict

SCHEMA = 1
PLAIN_SEED = 20261130
PLAIN_PAIRS = 40
Body = dict[str, Any]
Maker = Callable[[Material, Asker, Detail], Body]


class Silent:
    """A model that says nothing: what the pipeline gives without one, the floor of the comparison."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def info(self) -> ModelInfo:
        """The real model's facts under another fingerprint: its empty answers must not be taken for that model's."""
        real = self._model.info
        return ModelInfo(f"{real.name} (silent)", "0" * 64, real.context, real.slots)

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens, by the real model."""
        return self._model.count(messages)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens, by the real model."""
        return self._model.count_texts(texts)

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        """Empty lines."""
        return [Completion(("",) * len(request.forced), Finish.STOP, 0, 0, 0, 0.0) for request in requests]

    def close(self) -> None:
        """Leaves the real model open: it is not this one's."""


def _ours(what: Material, asker: Asker, detail: Detail) -> Body:
    if what.name == PLAIN:
        return _plain_lines(what, asker)
    return {"digest": as_dict(driver.digest(source_of(what), Wish(detail), asker))}


def _silent(what: Material, asker: Asker, detail: Detail) -> Body:
    asker.use(Silent(asker.model))
    return _ours(what, asker, detail)


def _peer(name: str) -> Maker:
    def make(what: Material, asker: Asker, detail: Detail) -> Body:
        backend = peers.Backend(asker, asker.model.info.context // 4)
        body: Body = {}
        try:
            if what.name == PLAIN:
                body |= _plain_single(what, backend)
            elif name == "single":
                body["answer"], body["characters_shown"] = peers.single_call(document_of(what), backend)
            elif name == "llamaindex-tree":
                body["answer"] = peers.tree_summarize(document_of(what), backend)
            else:
                body["answer"] = peers.langchain(document_of(what), backend, name.removeprefix("langchain-"))
        except (OutOfTime, ImportError):
            raise
        except Exception as error:  # whatever a peer raises is its result
            body |= {"answer": "", "crash": f"{type(error).__name__}: {error}"[:500]}
        return body | {"overflows": backend.overflows, "squeezed": backend.squeezed}

    return make


def _question_answers(what: Material, asker: Asker, detail: Detail) -> Body:
    """One call a question on the beginning of the text that fits."""
    backend = peers.Backend(asker, 256)
    asked = questions()
    longest = max(asked, key=lambda question: len(question.question)).question
    ask = "{text}\n\n根据以上法律条文，简要回答：{question}"
    fitting = peers.cut_to_window(document_of(what).text, ask.replace("{question}", longest), backend)
    replies = backend.complete(
        [ask.replace("{question}", question.question).replace("{text}", fitting) for question in asked]
    )
    return {
        "replies": {question.id: reply for question, reply in zip(asked, replies, strict=True)},
        "characters_shown": len(fitting),
        "shown": fitting,
    }


SYSTEMS: Mapping[str, Maker] = {
    "conspectus": _ours,
    "conspectus-silent": _silent,
    "langchain-map_reduce": _peer("langchain-map_reduce"),
    "langchain-refine": _peer("langchain-refine"),
    "llamaindex-tree": _peer("llamaindex-tree"),
    "single": _peer("single"),
    "single-qa": _question_answers,
}
OURS = ("conspectus", "conspectus-silent")


def suits(system: str, what: Material) -> bool:
    """Whether a system is measured on a document: the clause pairs fit one call, so the chains add nothing there."""
    if what.name == PLAIN:
        return system in (*OURS, "single")
    return system != "single-qa" or what.name == CIVIL_CODE


def pairs(what: Material) -> list[dict[str, str]]:
    """The clause pairs that are measured: always the same ones."""
    rows = [json.loads(line) for line in what.path.read_text("utf-8").splitlines() if line.strip()]
    return random.Random(PLAIN_SEED).sample(rows, PLAIN_PAIRS)


def _plain_lines(what: Material, asker: Asker) -> Body:
    from conspectus.evidence.source import to_source

    chosen = pairs(what)
    sources = [to_source(document_from_text(pair["text"], f"{pair['id']}.txt")) for pair in chosen]
    made = driver.lines(sources, Wish(Detail.FULL), asker)
    return {
        "lines": {
            pair["id"]: {
                "text": " ".join(statement.text for statement in statements),
                "verbatim": sum(statement.verdict.value == "verbatim" for statement in statements),
                "statements": len(statements),
            }
            for pair, statements in zip(chosen, made, strict=True)
        }
    }


def _plain_single(what: Material, backend: peers.Backend) -> Body:
    chosen = pairs(what)
    prompt = 'Write a concise summary of the following:\n\n\n"{text}"\n\n\nCONCISE SUMMARY:'
    replies = backend.complete([prompt.replace("{text}", pair["text"]) for pair in chosen])
    return {"lines": {pair["id"]: {"text": reply} for pair, reply in zip(chosen, replies, strict=True)}}


def make_cell(system: str, what: Material, model: Model, store: Path, detail: Detail, stop_at: float | None) -> Body:
    """One cell as plain data. Raises OutOfTime, ImportError where a peer is not installed."""
    asker = Asker(model, store, stop_at)
    info = model.info
    began = time.monotonic()
    try:
        body = SYSTEMS[system](what, asker, detail)
    except ConspectusError as error:
        body = {"answer": "", "crash": f"{type(error).__name__}: {error.message}"}
    wall = time.monotonic() - began
    document = None if what.name == PLAIN else document_of(what)
    return {
        "schema": SCHEMA,
        "system": system,
        "document": what.cell_name,
        "detail": detail.value,
        "model": {"name": info.name, "fingerprint": info.fingerprint, "context": info.context, "slots": info.slots},
        "pages": len(document.pages) if document else 0,
        "source_characters": len(document.text) if document else 0,
        "costs": asdict(asker.costs),
        "wall_seconds": round(wall, 2),
        **body,
    }
