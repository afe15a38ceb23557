# ruff: noqa: E501, ANN201, I001
"""Measures the engine on a GPU, in process, with random tokens (speed does not depend on them).

usage: gpu.py engine|calls|long|full|planned|experts MODEL.gguf [--requests 128] [--slots 64] [--prompt 2048] [--answer 128] ...
Prints one JSON line a measurement. `engine` is the scheduler over llama.cpp with the real answer bookkeeping;
`calls` times single llama_decode calls; `long` is one sequence; `full` goes through the
child process; `planned` too, with all that the planner chooses, and says what it chose; `experts`
loads a mixture with the experts of its first layer in main memory. `gap` is the time between the
choice of the tokens of one step and the next llama_decode: while it lasts the GPU has nothing to do.
"""

import argparse
import ctypes
import json
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import llama_cpp as lib
import numpy as np

from conspectus.llama.context import Context, Settings
from conspectus.llama.engine import Engine
from conspectus.llama.work import Layout, Work
from conspectus.llama.vocab import Vocab, start_backend

LOG = start_backend()


class Timed(Context):
    """The context, with the seconds spent in each of its calls."""

    spent: dict[str, float]
    calls: dict[str, int]
    gaps: list[float]
    chosen: float = 0.0

    def decode(self) -> int:
        kind = "prefill" if not self.batch.outputs[: self.batch.size].any() or self.batch.size > 300 else "step"
        begun = time.perf_counter()
        if kind == "step" and self.chosen:
            self.gaps.append(begun - self.chosen)
        self.chosen = 0.0
        code = super().decode()
        self.spent[kind] += time.perf_counter() - begun
        self.calls[kind] += 1
        return code

    def best(self):
        begun = time.perf_counter()
        self.synchronize()
        waited = time.perf_counter()
        found = super().best()
        self.spent["wait"] += waited - begun
        self.chosen = time.perf_counter()
        self.spent["choose"] += self.chosen - waited
        return found


class Fixed:
    """An answer of exactly `size` tokens with the bookkeeping of a free one."""

    def __init__(self, vocab: Vocab, size: int) -> None:
        from conspectus.llama.answer import new_answer

        self._inner = new_answer(vocab, size + 1, (), 0)
        self.finish, self.used, self._size, self._queue = None, 0, size, []

    def feed(self):
        queue, self._queue = self._queue, []
        return queue

    def accept(self, token: int) -> None:
        self._inner.accept(token)
        self._inner.feed()
        self.used += 1
        self._queue = [token]
        if self.used >= self._size:
            self.finish = "length"


def settings(args: argparse.Namespace, slots: int, context: int) -> Settings:
    return Settings(
        args.model,
        context,
        slots=slots,
        threads=args.threads,
        gpu_layers=args.layers,
        kv_type=args.kv,
        unified=args.unified,
        step=args.step,
        device_sampling=args.device_sampling,
    )


def engine(args: argparse.Namespace) -> None:
    vocab = Vocab(args.model, None, LOG)
    room = args.prompt + args.answer * 2 + 8
    context = Timed(settings(args, args.slots, room), LOG)
    layout = Layout(args.slots, room, unified=args.unified, joins=not args.cpu)
    random = np.random.default_rng(0)
    shared = random.integers(100, vocab.size - 2000, args.shared, dtype=np.int32)
    for repeat in range(args.repeats):
        context.spent, context.calls, context.gaps = defaultdict(float), defaultdict(int), []
        scheduler = Engine(context, layout, lambda _w: None, lambda _w: None)
        scheduler.forget()
        works = []
        for _ in range(args.requests if repeat or args.repeats == 1 else min(args.requests, args.slots)):
            own = random.integers(100, vocab.size - 2000, args.prompt - args.shared, dtype=np.int32)
            size = (
                int(random.integers(args.answer // 2, args.answer + args.answer // 2)) if args.spread else args.answer
            )
            works.append(Work(np.concatenate([shared, own]), lambda n=size: Fixed(vocab, n), lambda: False))
            scheduler.add(works[-1])
        context.synchronize()
        begun = time.perf_counter()
        while scheduler.is_busy:
            scheduler.step()
        seconds = time.perf_counter() - begun
        tokens = sum(len(work.prompt) - work.cached + work.answer.used for work in works)
        spent = {name: round(value, 3) for name, value in context.spent.items()}
        python = seconds - sum(context.spent.values())
        rest = {"failed": sum(w.error is not None for w in works), "cached": sum(w.cached for w in works)}
        report(args, "engine", seconds=round(seconds, 2), total_tps=round(tokens / seconds), requests=len(works), **rest,
               spent=spent, calls=dict(context.calls), python=round(python, 3), **_share(context))  # fmt: skip


def _share(context: Timed) -> dict[str, float]:
    """Milliseconds of one decode step in its middle (median) and Python's part of it that the GPU waits for."""
    steps = context.calls["step"]
    whole = sum(context.spent[name] for name in ("step", "wait", "choose")) + sum(context.gaps)
    gap = sorted(context.gaps)[len(context.gaps) // 2] if context.gaps else 0.0
    return {"step_ms": round(1000 * whole / max(1, steps), 2), "gap_ms": round(1000 * gap, 3),
            "python_share": round(gap * steps / whole, 4) if whole else 0.0}  # fmt: skip


def calls(args: argparse.Namespace) -> None:
    context = Timed(settings(args, args.slots, args.prompt + args.answer + 8), LOG)
    context.spent, context.calls, context.gaps = defaultdict(float), defaultdict(int), []
    random = np.random.default_rng(0)
    batch = context.batch

    def prefill(sequence: int, *, output: bool, wait: bool) -> tuple[float, float]:
        context.trim(sequence, 0)
        batch.clear()
        batch.run(sequence, random.integers(100, 40000, args.prompt, dtype=np.int32), 0, wants_output=output)
        begun = time.perf_counter()
        assert context.decode() == 0
        returned = time.perf_counter()
        if wait:
            context.synchronize()
        return returned - begun, time.perf_counter() - begun

    n = min(8, args.slots)
    for output, wait in ((False, True), (True, True), (False, False), (True, False)):
        begun = time.perf_counter()
        times = [prefill(i, output=output, wait=wait) for i in range(n)]
        context.synchronize()
        report(args, "prefill", output=output, wait=wait, seconds_each=round((time.perf_counter() - begun) / n, 4),
               call_ms=[round(1000 * t[0], 1) for t in times], done_ms=[round(1000 * t[1], 1) for t in times])  # fmt: skip
    for i in range(args.slots):
        prefill(i, output=False, wait=False)
    context.synchronize()
    place = args.prompt

    def step(rows: list[int], at: int) -> tuple[float, float]:
        batch.clear()
        count = len(rows)
        batch.rows(
            np.array(rows, np.int32), np.full(count, 7, np.int32), np.full(count, at, np.int32), np.ones(count, np.int8)
        )
        begun = time.perf_counter()
        assert context.decode() == 0
        returned = time.perf_counter()
        context.best()
        return returned - begun, time.perf_counter() - begun

    everyone = list(range(args.slots))
    for name, rows in (
        ("all", everyone),
        ("gap in the middle", everyone[: args.slots // 2] + everyone[args.slots // 2 + 1 :]),
        ("every second", everyone[::2]),
    ):
        times = []
        for k in range(12):
            times.append(step(rows, place + k))
        for i in rows:
            context.trim(i, place)
        report(
            args,
            "step",
            rows=name,
            call_ms=[round(1000 * t[0], 2) for t in times],
            done_ms=[round(1000 * t[1], 2) for t in times],
        )
    if not args.unified and args.slots > 1:
        for k in (1, args.slots - 1):
            begun = time.perf_counter()
            for i in range(1, k + 1):
                context.copy(0, i)
            step([0], place)
            report(args, "copy", copies=k, ms=round(1000 * (time.perf_counter() - begun), 1))
            context.trim(0, place)


def long(args: argparse.Namespace) -> None:
    context = Timed(settings(args, 1, args.prompt + args.answer + 8), LOG)
    context.spent, context.calls, context.gaps = defaultdict(float), defaultdict(int), []
    vocab = Vocab(args.model, None, LOG)
    scheduler = Engine(
        context,
        Layout(1, args.prompt + args.answer + 8, unified=args.unified, joins=not args.cpu),
        lambda _w: None,
        lambda _w: None,
    )
    tokens = np.random.default_rng(0).integers(100, 40000, args.prompt, dtype=np.int32)
    # The first half alone, then the whole: the second request goes on from what stands in the context.
    for size in (args.prompt // 2, args.prompt) if args.halves else (args.prompt,):
        work = Work(tokens[:size], lambda: Fixed(vocab, args.answer), lambda: False)
        scheduler.add(work)
        begun = time.perf_counter()
        first = 0.0
        while scheduler.is_busy:
            scheduler.step()
            if not first and work.answer.used:
                first = time.perf_counter()
        end = time.perf_counter()
        report(args, "long", prompt=size, cached=work.cached, prompt_tps=round((size - work.cached) / (first - begun), 1),
               seconds=round(end - begun, 1), decode_tps=round((args.answer - 1) / (end - first), 2),
               answered=work.answer.used, kv=args.kv, stands_at=lib.llama_memory_seq_pos_max(context._memory, 0),
               cells=lib.llama_n_ctx_seq(context._context), error=work.error)  # fmt: skip


def full(args: argparse.Namespace) -> None:
    from conspectus.llama import Message, Request
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.options import EngineOptions

    options = EngineOptions(
        slots=args.slots, gpu_layers=args.layers, unified=args.unified, step=args.step, self_test=False,
        devices=args.devices,
    )  # fmt: skip
    model = EmbeddedModel(
        Path(args.model), context=args.prompt + args.answer + 64, cache_dir=Path(tempfile.mkdtemp()), options=options
    )
    random = np.random.default_rng(0)
    words = "the of and to in is that for it as was with be by on not he his but at are this have from or had".split()
    requests = []
    for _ in range(args.requests):
        text = " ".join(random.choice(words, args.prompt - 24))
        requests.append(Request((Message("user", text),), max_tokens=args.answer, deadline_s=3000))
    model.info  # noqa: B018 - waits for the file's hash
    model.complete([Request((Message("user", "a"),), max_tokens=2)] * args.devices)
    begun = time.perf_counter()
    own = time.process_time()
    answers = model.complete(requests)
    seconds = time.perf_counter() - begun
    tokens = sum(a.prompt_tokens - a.cached_tokens + a.generated_tokens for a in answers)
    report(args, "full", seconds=round(seconds, 2), total_tps=round(tokens / seconds), tokens=tokens,
           devices=args.devices, slots=model.info.slots, asked=args.requests * args.answer,
           generated=sum(a.generated_tokens for a in answers),
           parent_cpu_s=round(time.process_time() - own, 2))  # fmt: skip
    model.close()


def planned(args: argparse.Namespace) -> None:
    """Loads with the planner's own choice for a context of `prompt` tokens a slot, and answers a few short requests."""
    from conspectus.llama import Message, Request
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.options import EngineOptions

    told: list[str] = []
    layers = None if args.layers == -1 else args.layers
    options = EngineOptions(gpu_layers=layers, devices=1, slots=None if args.slots == 64 else args.slots)
    model = EmbeddedModel(Path(args.model), context=args.prompt, cache_dir=Path(tempfile.mkdtemp()), options=options,
                          on_event=told.append)  # fmt: skip
    begun = time.perf_counter()
    _ = model.info
    answers = model.complete([Request((Message("user", f"Say {n}."),), max_tokens=16) for n in range(3)])
    facts = asdict(model.running)
    report(args, "planned", context=args.prompt, **{**facts, "asked_layers": layers}, told=told,
           seconds=round(time.perf_counter() - begun, 1), answered=[a.generated_tokens for a in answers])  # fmt: skip
    model.close()


def experts(args: argparse.Namespace) -> None:
    """The same answer with and without the first layer's experts in main memory, and the GPU's free bytes of each."""
    from conspectus.llama.context import gpu_memory

    answers = []
    for overrides in ((), (r"blk\.0\.ffn_(up|down|gate|gate_up)_(ch|)exps",)):
        before = gpu_memory(0)
        context = Context(Settings(args.model, 512, slots=2, gpu_layers=99, step=64, overrides=overrides), LOG)
        context.batch.run(0, np.arange(100, 164, dtype=np.int32), 0, wants_output=True)
        code = context.decode()
        answers.append((code, context.best().tolist(), before - gpu_memory(0)))
    report(args, "experts", with_and_without=answers)


def report(args: argparse.Namespace, kind: str, **values: object) -> None:
    print(json.dumps({"kind": kind, "tag": args.tag, "slots": args.slots, **values}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["engine", "calls", "long", "full", "planned", "experts"])
    parser.add_argument("model")
    for name, default in (("requests", 128), ("slots", 64), ("prompt", 2048), ("answer", 128), ("shared", 0), ("step", 2048),
                          ("threads", 8), ("layers", -1), ("repeats", 1), ("devices", 1)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--kv", default="f16")
    parser.add_argument("--tag", default="")
    parser.add_argument("--profile", default="")
    parser.add_argument("--stacks", default="stacks.txt")
    for name in ("unified", "device-sampling", "cpu", "spread", "halves"):
        parser.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    profiler = ctypes.CDLL(args.profile) if args.profile else None
    if profiler:
        profiler.prof_start(1000)
    globals()[args.mode](args)
    if profiler:
        profiler.prof_stop(args.stacks.encode())
    sys.stdout.flush()


if __name__ == "__main__":
    assert lib
    main()
