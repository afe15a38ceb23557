# ruff: noqa: E501
"""Sixteen chunks on the processor: the engine against a loop of `Llama.create_chat_completion`.

usage: cpu.py [--slots 1,2,4,8] [--rounds 2] [--model FILE] [--chunks 16] [--answer 100]
                    [--one-sentence]
Each measurement is a process of its own; they take turns, and the least time of each counts, since other programs only
ever add to it. Prints seconds, tokens, the ratio of the times and of the times of one token to the loop's, and what the
engine adds to its parent's memory. `--one-sentence`: the product's own calls, one sentence each, all with one beginning.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SYSTEM = "You restate the sentences of a contract, one short line each."
THINGS = "rent deposit notice repair insurance access parking storage heating cleaning signage audit".split()


def chunk(number: int, sentences: int = 24) -> str:
    """About 700 tokens, another text for each number."""
    lines = []
    for i in range(sentences):
        thing = THINGS[(number * 5 + i) % len(THINGS)]
        lines.append(
            f"[{i + 1}] The Tenant shall pay the {thing} charge of ${number * 37 + i * 11 + 100} within "
            f"{(number + i) % 28 + 2} days after the Landlord's notice under Section {number + 1}.{i + 1}."
        )
    return "\n".join(lines) + "\n\nRestate these sentences in your own words."


def messages(number: int, *, one_sentence: bool) -> list[dict[str, str]]:
    if one_sentence:
        from conspectus import prompts
        from conspectus.document import Language

        sentence = chunk(number, 1).split("] ", 1)[1].split("\n", 1)[0]
        shown = {"title": "Lease of Unit 4", "path": "Charges", "terms": (), "sentence": sentence}
        prompt = prompts.render("map-contract", Language.EN, **shown)
        return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": chunk(number)}]


def loop(args: argparse.Namespace) -> dict[str, float]:
    import llama_cpp

    model = llama_cpp.Llama(args.model, n_ctx=2048, n_threads=args.threads, n_threads_batch=args.threads, verbose=False)
    model.create_chat_completion(messages=[{"role": "user", "content": "a"}], max_tokens=1)
    begun, spent = time.perf_counter(), time.process_time()
    found = [
        model.create_chat_completion(
            messages=messages(i, one_sentence=args.one_sentence), max_tokens=args.answer, temperature=0.0
        )  # type: ignore[arg-type]
        for i in range(args.chunks)
    ]
    seconds = time.perf_counter() - begun
    spent = time.process_time() - spent
    usage = [f["usage"] for f in found]
    return {
        "seconds": seconds,
        "cpu": spent,
        "prompt": sum(u["prompt_tokens"] for u in usage),
        "generated": sum(u["completion_tokens"] for u in usage),
    }


def engine(args: argparse.Namespace) -> dict[str, float]:
    before = _rss()
    from conspectus.llama import Message, Request
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.options import EngineOptions

    requests = [
        Request(tuple(Message(**m) for m in messages(i, one_sentence=args.one_sentence)), max_tokens=args.answer)  # type: ignore[arg-type]
        for i in range(args.chunks)
    ]
    options = EngineOptions(slots=args.slot, threads=args.threads, unified=args.unified, step=args.step or None)
    model = EmbeddedModel(Path(args.model), context=2048, cache_dir=Path(tempfile.gettempdir()), options=options)
    # Loaded, and past its self-test: the loop does not pay for these either.
    model.complete([Request((Message("user", "a"),), max_tokens=1)])
    begun, spent = time.perf_counter(), _cpu_of_children()
    found = model.complete(requests)
    seconds, spent = time.perf_counter() - begun, _cpu_of_children() - spent
    memory = _rss() - before
    model.close()
    return {
        "seconds": seconds,
        "cpu": spent,
        "prompt": sum(f.prompt_tokens for f in found),
        "cached": sum(f.cached_tokens for f in found),
        "generated": sum(f.generated_tokens for f in found),
        "parent_mb": memory / 1e6,
    }


def _rss() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _cpu_of_children() -> float:
    """Processor seconds of the engine; with one thread they do not depend on what else the machine does."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(args: argparse.Namespace, what: str, slots: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--only", what, "--slot", str(slots), "--model", args.model]
    command += ["--chunks", str(args.chunks), "--answer", str(args.answer), "--threads", str(args.threads)]
    command += ["--step", str(args.step)] + (["--split"] if args.split else [])
    command += ["--one-sentence"] if args.one_sentence else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--slots", default="1,2,4,8")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--model", default="")
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--answer", type=int, default=100)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--step", type=int, default=0)
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--one-sentence", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--slot", type=int, default=1)
    args = parser.parse_args()
    args.unified = False if args.split else None
    if not args.model:
        from conspectus.llama.gguf import starter_path

        args.model = str(starter_path())
    if args.only:
        print(json.dumps(loop(args) if args.only == "loop" else engine(args)))
        return
    best: dict[str, dict[str, float]] = {}
    for _ in range(args.rounds):
        for name, what, slots in [("loop", "loop", 1)] + [
            (f"engine, {s} slots", "engine", int(s)) for s in args.slots.split(",")
        ]:
            found = measure(args, what, slots)
            if name not in best or found["seconds"] < best[name]["seconds"]:
                best[name] = found
    base = best["loop"]
    for name, found in best.items():
        print(
            f"{name:18} {found['seconds']:6.1f} s  ratio {found['seconds'] / base['seconds']:.2f}  per token {_each(found) / _each(base):.2f}  "
            f"cpu {found['cpu']:.1f} s  prompt {found['prompt']:.0f} (cached {found.get('cached', 0):.0f})  "
            f"generated {found['generated']:.0f}  parent {found.get('parent_mb', 0):.0f} MB"
        )
    engines = [found for name, found in best.items() if name != "loop"]
    least = min(found["seconds"] for found in engines) / base["seconds"]
    most = max(found["parent_mb"] for found in engines)
    print(
        f"total time of the best engine: {least:.2f} of the loop (bar 0.8); memory added to the parent: {most:.0f} MB (bar 60)"
    )


def _each(found: dict[str, float]) -> float:
    """Seconds of one token of prompt or answer: the loop and the engine may answer at different lengths."""
    return found["seconds"] / (found["prompt"] + found["generated"])


if __name__ == "__main__":
    main()
