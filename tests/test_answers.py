import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from conspectus.digesting.answers import completion_from, lookup, record_from, storage_key
from conspectus.llama.contract import Completion, Finish, Message, Request

KEY = "ab" * 32
ANSWER = Completion(
    lines=("The tenant shall pay 1,200 EUR.", "不得转租", "\ud800 lone"),
    finish=Finish.STOP,
    prompt_tokens=7,
    cached_tokens=2,
    generated_tokens=5,
    seconds=0.25,
)


def store(folder: Path, record: Any, **serializer: Any) -> Path:
    """A file as Prefect 3.9 writes it; tests/test_call_cache.py compares with Prefect's own."""
    path = folder / KEY[:2] / KEY
    path.parent.mkdir(exist_ok=True)
    named = {
        "type": "json",
        "jsonlib": "json",
        "object_decoder": "prefect.serializers.prefect_json_object_decoder",
        "loads_kwargs": {},
    }
    path.write_text(json.dumps({"metadata": {"serializer": named | serializer}, "result": json.dumps(record)}))
    return path


def test_record_and_back() -> None:
    record = json.loads(json.dumps(record_from(KEY, ANSWER)))
    assert completion_from(record, KEY) == ANSWER


def test_stored_answer_is_found(tmp_path: Path) -> None:
    path = store(tmp_path, record_from(KEY, ANSWER))
    assert lookup(tmp_path, KEY) == ANSWER
    assert path.exists()


def test_no_file_is_a_miss(tmp_path: Path) -> None:
    assert lookup(tmp_path, KEY) is None


@pytest.mark.parametrize("finish", [Finish.STOP, Finish.LENGTH, Finish.LOOP])
def test_what_greedy_decoding_says_again_is_stored(finish: Finish, tmp_path: Path) -> None:
    said = dataclasses.replace(ANSWER, finish=finish, cut=(1,))
    store(tmp_path, record_from(KEY, said))
    assert lookup(tmp_path, KEY) == said


def test_an_answer_over_its_deadline_counts_only_when_fresh(tmp_path: Path) -> None:
    cut = dataclasses.replace(ANSWER, finish=Finish.DEADLINE)
    record = record_from(KEY, cut)
    assert completion_from(record, KEY) is None
    assert completion_from(record, KEY, fresh=True) == cut
    path = store(tmp_path, record)
    assert lookup(tmp_path, KEY) is None
    assert not path.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"lines": ["The tenant shall pay 1,300 EUR.", "不得转租", "\ud800 lone"]},
        {"lines": "no list"},
        {"lines": [1]},
        {"cut": [0]},
        {"cut": "none"},
        {"cut": [True]},
        {"finish": "length"},
        {"finish": "unheard of"},
        {"key": "cd" * 32},
        {"schema": 1},
        {"sha256": "0" * 64},
        {"prompt_tokens": "many"},
        {"prompt_tokens": True},
        {"seconds": None},
        {"finish": ["stop"]},
        {"more": {"__class__": "os.system"}},
    ],
)
def test_an_altered_record_is_a_miss_and_removed(change: dict[str, Any], tmp_path: Path) -> None:
    path = store(tmp_path, record_from(KEY, ANSWER) | change)
    assert lookup(tmp_path, KEY) is None
    assert not path.exists()


@pytest.mark.parametrize("field", ["schema", "key", "lines", "cut", "finish", "sha256", "generated_tokens"])
def test_a_missing_field_is_a_miss(field: str) -> None:
    record = record_from(KEY, ANSWER)
    del record[field]
    assert completion_from(record, KEY) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"a": 1}',
        b'{"metadata": {"serializer": {"type": "json"}}}',
        b"[" * 9999,
    ],
)
def test_a_foreign_file_is_a_miss_and_removed(content: bytes, tmp_path: Path) -> None:
    path = store(tmp_path, {})
    path.write_bytes(content)
    assert lookup(tmp_path, KEY) is None
    assert not path.exists()


def test_a_torn_file_is_a_miss_at_every_length(tmp_path: Path) -> None:
    path = store(tmp_path, record_from(KEY, ANSWER))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert lookup(tmp_path, KEY) is None
        assert not path.exists()


@pytest.mark.parametrize(
    "serializer",
    [{"type": "pickle"}, {"jsonlib": "os"}, {"object_decoder": "os.system"}, {"loads_kwargs": {"cls": "os.system"}}],
)
def test_a_file_that_names_another_reader_is_never_accepted(serializer: dict[str, Any], tmp_path: Path) -> None:
    path = store(tmp_path, record_from(KEY, ANSWER), **serializer)
    assert lookup(tmp_path, KEY) is None
    assert not path.exists()


@pytest.mark.parametrize("key", ["", "AB" * 32, "ab" * 31, "../" + "a" * 61, "ab" * 32 + "\n"])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="64"):
        storage_key(key)


def test_request_key_is_stable_and_sees_every_field() -> None:
    base = Request(messages=(Message("user", "text"),), max_tokens=10, forced=("1: ",), line_tokens=5)
    assert base.key("model") == "77da9b562475a294a0b305f1c734187d31990db19aa081a330b2a158e32ed6b7"
    others = [
        dataclasses.replace(base, messages=(Message("user", "text."),)),
        dataclasses.replace(base, messages=(Message("system", "text"),)),
        dataclasses.replace(base, messages=(*base.messages, Message("user", ""))),
        dataclasses.replace(base, max_tokens=11),
        dataclasses.replace(base, forced=("2: ",)),
        dataclasses.replace(base, line_tokens=6),
    ]
    keys = {base.key("model"), base.key("model2"), *(other.key("model") for other in others)}
    assert len(keys) == len(others) + 2
    assert dataclasses.replace(base, deadline_s=1.0).key("model") == base.key("model")
