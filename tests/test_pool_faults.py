"""The server pool on servers that fail, each fault alone and all of them at once."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fake_server import FakeServer
from pool_storm import run_storm

from conspectus.errors import ContextExceeded, EngineError, ModelChanged, ModelError
from conspectus.llama import Finish, Message, Request
from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses

QUICK = PoolSettings(
    cooldown_s=0.05, cooldown_most_s=0.2, patience_s=1.0, probe_s=2.0, silence_s=0.4, first_byte_s=2.0, verify_s=0.05,
    hedge_least_s=0.3, api_key="secret", loading_s=5.0,
)  # fmt: skip
Open = Callable[..., ServerPool]


@pytest.fixture
def opened() -> Iterator[Open]:
    pools: list[ServerPool] = []

    def make(*servers: FakeServer, settings: PoolSettings = QUICK, notes: list[str] | None = None) -> ServerPool:
        said = notes if notes is not None else []
        pools.append(ServerPool(parse_addresses(",".join(s.url for s in servers)), settings, said.append))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as fake:
        yield fake


def asking(text: str = "The Tenant shall pay GBP 100.") -> Request:
    return Request((Message("user", f"[1] {text}\n\nRestate 1."),), 100, ("1: ",), 40)


def first(*faults: str) -> Callable[[int, dict[str, Any]], str | None]:
    """These faults for the next calls, in turn, then none."""
    left = list(faults)
    return lambda _n, _body: left.pop(0) if left else None


@pytest.mark.parametrize("fault", ["error500", "close", "garbage", "notjson", "drop", "crowded", "overflow", "busy",
                                   "hang", "loading", "empty", "reasoning"])  # fmt: skip
def test_one_fault_is_got_over(opened: Open, server: FakeServer, fault: str) -> None:
    pool = opened(server)
    assert pool.info
    server.fault = first(fault)
    (made,) = pool.complete([asking()])
    assert made.lines == ("The Tenant shall pay GBP 100.",) and made.finish is Finish.STOP
    assert server.faults[fault] == 1


@pytest.mark.parametrize(
    ("fault", "words", "retryable"),
    [("error500", "HTTP 500", True), ("close", "closed the connection", True), ("garbage", "garbage", True),
     ("notjson", "no stream", True), ("empty", "empty answer", False), ("reasoning", "only reasoned", False)],
)  # fmt: skip
def test_a_fault_that_stays_ends_in_one_typed_error(
    opened: Open, server: FakeServer, fault: str, words: str, retryable: bool
) -> None:
    pool = opened(server)
    assert pool.info
    server.fault = lambda _n, body: fault if len(body["messages"][0]["content"]) > 10 else None
    with pytest.raises(EngineError, match=words) as caught:
        pool.complete([asking()])
    assert caught.value.retryable is retryable and server.url in caught.value.message
    assert server.faults[fault] <= 5


def test_work_leaves_a_dead_server(opened: Open) -> None:
    notes: list[str] = []
    with FakeServer() as one, FakeServer() as two:
        pool = opened(one, two, notes=notes)
        assert pool.info.slots == 8
        one.stop()
        made = pool.complete([asking(f"Rent {n}.") for n in range(20)])
    assert [c.lines[0] for c in made] == [f"Rent {n}." for n in range(20)]
    assert any("its work goes elsewhere" in note for note in notes)


def test_a_server_that_comes_back_proves_itself_first(opened: Open, server: FakeServer) -> None:
    notes: list[str] = []
    pool = opened(server, notes=notes)
    assert pool.info
    before = len(server.calls)
    server.fault = first("hang", "error500", "error500")
    pool.complete([asking()])
    sent = [body["messages"][0]["content"] for body in server.calls[before:]]
    assert [text == "Say: yes" for text in sent] == [False, True, True, True, False]
    assert notes[-1].endswith("answers again")


def test_calls_and_counts_wait_for_a_server_that_is_gone(opened: Open) -> None:
    with FakeServer() as gone:
        gone.piece_s = 0.05
        pool = opened(gone, settings=replace(QUICK, patience_s=20.0))
        port = int(gone.url.rpartition(":")[2])
        with ThreadPoolExecutor(2) as threads:
            answers = threads.submit(pool.complete, [asking(f"The Tenant shall pay GBP {n}.") for n in range(8)])
            while len(gone.calls) < 4:
                time.sleep(0.01)
            gone.stop()
            counts = threads.submit(pool.count_texts, ["not counted before"])
            time.sleep(1.5)
            with FakeServer(port=port) as back:
                assert len(answers.result(15)) == 8 and len(counts.result(15)) == 1
                assert back.calls


def test_a_server_without_listener_is_said_at_once(opened: Open) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pool = ServerPool(parse_addresses(f"http://127.0.0.1:{port}"), QUICK)
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        _ = pool.info
    pool.close()
    assert "conspectus model serve" in caught.value.remedy


def test_a_server_that_accepts_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        pool = ServerPool(parse_addresses(f"http://127.0.0.1:{mute.getsockname()[1]}"), replace(QUICK, probe_s=0.3))
        with pytest.raises(ModelError, match="does not answer in time"):
            _ = pool.info
        pool.close()


def test_the_run_begins_with_the_servers_that_are_there(opened: Open, server: FakeServer) -> None:
    notes: list[str] = []
    with FakeServer() as other:
        other.fault = lambda _n, _body: "error500"
        pool = opened(server, other, notes=notes)
        assert pool.info.slots == 4
        assert any("the run begins without it" in note for note in notes)
        other.fault = lambda _n, _body: None
        end = time.monotonic() + 5
        while not any("answers again" in note for note in notes) and time.monotonic() < end:
            time.sleep(0.02)
        server.piece_s = other.piece_s = 0.02
        pool.complete([asking(f"Rent {n}.") for n in range(16)])
        assert other.most_in_flight > 1


def test_loading_is_waited_for(opened: Open, server: FakeServer) -> None:
    notes: list[str] = []
    server.is_loading = True
    pool = opened(server, notes=notes)
    pool.start()
    threading.Timer(0.5, lambda: setattr(server, "is_loading", False)).start()
    assert pool.info.name == "qwen-7b"
    assert len([note for note in notes if "loading" in note]) == 1


def test_loading_in_the_middle_of_a_run_is_no_part_of_a_deadline(opened: Open, server: FakeServer) -> None:
    pool = opened(server)
    assert pool.info
    server.is_loading = True
    threading.Timer(0.9, lambda: setattr(server, "is_loading", False)).start()
    begun = time.monotonic()
    (made,) = pool.complete([replace(asking(), deadline_s=0.5)])
    assert time.monotonic() - begun > 0.6
    assert made.finish is Finish.STOP and made.lines == ("The Tenant shall pay GBP 100.",)


def test_a_wrong_key_names_the_variable(opened: Open, server: FakeServer) -> None:
    server.key = "other"
    with pytest.raises(ModelError) as caught:
        _ = opened(server).info
    assert "CONSPECTUS_API_KEY" in caught.value.remedy and "secret" not in caught.value.line()
    server.key = "secret"
    assert opened(server).complete([asking()])


def test_a_key_that_is_refused_later_ends_the_run(opened: Open, server: FakeServer) -> None:
    pool = opened(server)
    assert pool.info
    server.fault = lambda _n, _body: "key"
    with pytest.raises(ModelError, match="refuses the key"):
        pool.complete([asking()])


@pytest.mark.parametrize("change", [{"model": "llama-8b"}, {"build": "b101"}, {"n_params": 5}])
def test_a_changed_model_ends_in_its_own_error(opened: Open, server: FakeServer, change: dict[str, Any]) -> None:
    pool = opened(server)
    pool.complete([asking()])
    for name, value in change.items():
        setattr(server, name, value)
    time.sleep(0.06)  # past verify_s: what a server is, is asked again
    with pytest.raises(ModelChanged):
        pool.complete([asking("Another.")])
    with pytest.raises(ModelChanged):
        pool.complete([asking("A third.")])


def test_work_leaves_a_server_whose_model_changed(opened: Open, server: FakeServer) -> None:
    with FakeServer() as other:
        pool = opened(server, other)
        pool.complete([asking()])
        other.model = "llama-8b"
        time.sleep(0.06)
        made = pool.complete([asking(f"Rent {n}.") for n in range(12)])
        assert [c.lines[0] for c in made] == [f"Rent {n}." for n in range(12)]


def test_the_servers_own_refusal_is_a_typed_error_with_its_numbers(opened: Open, server: FakeServer) -> None:
    pool = opened(server, settings=replace(QUICK, verify_s=60))
    assert pool.info
    server.context = 16
    with pytest.raises(ContextExceeded) as caught:
        pool.complete([asking("word " * 30)])
    assert caught.value.context == 16 and caught.value.prompt_tokens > 30


def test_a_request_moves_to_a_server_with_more_context(opened: Open) -> None:
    with FakeServer(slots=1) as small, FakeServer(slots=1) as large:
        pool = opened(small, large, settings=replace(QUICK, verify_s=60))
        assert pool.info
        small.context = 16
        made = pool.complete([asking("word " * 30 + str(n)) for n in range(6)])
        assert len(made) == 6 and small.calls


def test_overflow_of_a_shared_context_lowers_what_is_in_flight(opened: Open) -> None:
    with FakeServer(slots=4, context=300) as server:
        pool = opened(server)
        assert pool.info
        server.piece_s = 0.01

        def crowd(_n: int, body: dict[str, Any]) -> str | None:
            return "crowded" if server.in_flight > 2 and body["max_tokens"] > 10 else None

        server.fault = crowd
        made = pool.complete([asking(f"Rent {n}.") for n in range(30)])
        assert len(made) == 30
        assert server.faults["crowded"] <= 8, "after the first overflow the sum of tokens is kept below the context"


def test_a_server_that_loses_slots_gets_fewer_at_a_time(opened: Open) -> None:
    with FakeServer(slots=4) as server:
        pool = opened(server)
        assert pool.info.slots == 4
        server.slots, server.piece_s = 1, 0.01
        server.fault = lambda _n, _body: "busy" if server.in_flight > server.slots else None
        made = pool.complete([asking(f"Rent {n}.") for n in range(24)])
        assert [c.lines[0] for c in made] == [f"Rent {n}." for n in range(24)]
        assert server.faults["busy"] <= 12, "what it cannot take is soon not sent any more"


def test_a_straggler_is_sent_twice_and_counts_once(opened: Open) -> None:
    with FakeServer() as quick, FakeServer() as slow:
        pool = opened(quick, slow, settings=replace(QUICK, silence_s=20, verify_s=60))
        assert pool.info
        pool.complete([asking(f"Warm {n}.") for n in range(8)])
        slow.fault = lambda _n, _body: "hang"
        made = pool.complete([asking(f"Rent {n}.") for n in range(8)])
        assert [c.lines[0] for c in made] == [f"Rent {n}." for n in range(8)]
        assert pool.hedged >= 1


def test_all_at_once_five_hundred_requests() -> None:
    """500 one time in five, hangs, closed streams, garbage, a smaller context, a lost slot, a changed model."""
    storm = run_storm(500, seed=7)
    assert (storm.lost, storm.twice, storm.wrong) == (0, 0, 0), "each ends once, with its own answer or a typed error"
    # How many faults are met in the time, and which changes of a server are seen, is the machine's speed: the changes
    # have tests of their own, the figures are printed by benchmarks/engine/pool_faults.py.
    assert set(storm.errors) <= {"EngineError"} and len(storm.answers) >= 400
    assert storm.faults["error500"] > 20
    assert storm.close_s < 3 and storm.threads == []
    assert not [note for note in storm.notes if "Rent" in note], "nothing of a document is told"
