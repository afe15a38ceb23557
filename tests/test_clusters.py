"""Runners of documents side by side share the one connection that a process may have to Ray."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from conspectus.flows.clusters import cluster_runner
from conspectus.llama.remote import Cluster


def test_one_connection_to_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    ray, prefect_ray = ModuleType("ray"), ModuleType("prefect_ray")

    def init(address: str, *, log_to_driver: bool) -> None:
        assert not made, "Ray refuses a second connection of the same process"
        time.sleep(0.05)
        made.append(address)

    ray.init, ray.is_initialized = init, lambda: bool(made)  # type: ignore[attr-defined]
    prefect_ray.RayTaskRunner = lambda address: address  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "prefect_ray", prefect_ray)
    with ThreadPoolExecutor(4) as pool:
        runners = list(pool.map(lambda _: cluster_runner(Cluster("ray", "ray://head:10001")), range(8)))
    assert made == ["ray://head:10001"] and runners == ["ray://head:10001"] * 8
