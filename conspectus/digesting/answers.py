"""A model's answer as it is stored, checked each time it is read; Prefect's result files read without Prefect.

Prefect 3.9 writes one JSON object a result to `<folder>/<aa>/<key>`: `metadata` names the serializer, `result` is a
string that holds the serialized value. It has no checksum, so the value carries its own.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from conspectus.errors import UsageError
from conspectus.llama.contract import Completion, Finish

SCHEMA = 2

_KEY = re.compile(r"[0-9a-f]{64}")
_COUNTS = ("prompt_tokens", "cached_tokens", "generated_tokens")
# What decides how Prefect reads a file that its "json" serializer wrote.
SERIALIZER = {
    "type": "json",
    "jsonlib": "json",
    "object_decoder": "prefect.serializers.prefect_json_object_decoder",
    "loads_kwargs": {},
}
_FIELDS = {"schema", "key", "lines", "cut", "finish", "seconds", "sha256", *_COUNTS}


def storage_key(key: str) -> str:
    """The name of an answer below the folder of answers: `<aa>/<key>`. Raises ValueError for what is no sha256 hex."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no key of a model call (64 lower-case hex characters)")
    return f"{key[:2]}/{key}"


def is_clean(completion: Completion) -> bool:
    """Whether an answer would come out the same again; only such answers are stored and taken from the store.

    Decoding is greedy: an answer that ran into a limit of tokens or into a loop is what this model says to this
    prompt, and a second run must not pay for it again. One that ran into its deadline says something of the machine.
    """
    return completion.finish is not Finish.DEADLINE


def record_from(key: str, completion: Completion) -> dict[str, Any]:
    """The answer to the call `key` as plain JSON types, with an echo of the key and a hash over the text."""
    return {
        "schema": SCHEMA,
        "key": key,
        "lines": list(completion.lines),
        "cut": list(completion.cut),
        "finish": completion.finish.value,
        "prompt_tokens": completion.prompt_tokens,
        "cached_tokens": completion.cached_tokens,
        "generated_tokens": completion.generated_tokens,
        "seconds": completion.seconds,
        "sha256": _digest(list(completion.lines), list(completion.cut), completion.finish.value),
    }


def completion_from(record: object, key: str, *, fresh: bool = False) -> Completion | None:
    """The answer in `record`, or None where it is not the clean, undamaged answer to the call `key`.

    `fresh` admits an answer that was cut short: for the record of a call just made, never for a stored one.
    """
    # No field more: Prefect's reader imports what a nested object names.
    if not isinstance(record, dict) or record.keys() != _FIELDS or record["schema"] != SCHEMA or record["key"] != key:
        return None
    lines, finish, seconds = record["lines"], record["finish"], record["seconds"]
    cut = record["cut"]
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    if not isinstance(cut, list) or not all(type(place) is int for place in cut):
        return None
    if not all(type(record[name]) is int for name in _COUNTS) or not isinstance(seconds, int | float):
        return None
    if finish not in list(Finish) or record["sha256"] != _digest(lines, cut, finish):
        return None
    completion = Completion(
        lines=tuple(lines),
        cut=tuple(cut),
        finish=Finish(finish),
        prompt_tokens=record["prompt_tokens"],
        cached_tokens=record["cached_tokens"],
        generated_tokens=record["generated_tokens"],
        seconds=float(seconds),
    )
    return completion if fresh or is_clean(completion) else None


def lookup(results_dir: Path, key: str) -> Completion | None:
    """The stored answer to the call `key`, or None.

    A file that holds no such answer (empty, torn, foreign, altered) is removed: Prefect would hand out an altered one.
    Raises ValueError for what is no key, UsageError where a file cannot be read or removed.
    """
    path = results_dir / storage_key(key)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error) from error
    completion = completion_in(content, key)
    if completion is None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(path, error) from error
    return completion


def completion_in(content: bytes, key: str) -> Completion | None:
    """The answer to the call `key` in the bytes of a stored file, or None where they hold no such answer."""
    return completion_from(_result_in(content), key)


def schema_in(content: bytes) -> int | None:
    """The version of the record in the bytes of a stored file, or None where they hold no record of ours."""
    record = _result_in(content)
    version = record.get("schema") if isinstance(record, dict) else None
    return version if type(version) is int else None


def _result_in(content: bytes) -> object:
    try:
        outer = json.loads(content)
        serializer = {name: outer["metadata"]["serializer"].get(name) for name in SERIALIZER}
        # Prefect reads a file with whatever the file names: any other reader was not named by this program.
        if serializer != SERIALIZER:
            return None
        result: object = json.loads(outer["result"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return result


def _digest(lines: list[str], cut: list[int], finish: str) -> str:
    # ensure_ascii, because an answer may hold lone surrogates, which UTF-8 cannot encode.
    content = {"cut": cut, "finish": finish, "lines": lines}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _unusable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"The stored answer {path} cannot be used: {error.strerror or error}",
        "Give yourself access to the cache folder, or set CONSPECTUS_CACHE to another one",
    )
