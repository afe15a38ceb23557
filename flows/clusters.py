"""Prefect's task runners for clusters, each imported where it is asked for."""

import threading
from typing import Any

from prefect.task_runners import TaskRunner

from conspectus.llama.remote import Cluster

_connecting = threading.Lock()


def cluster_runner(cluster: Cluster) -> TaskRunner[Any]:
    """A runner that hands tasks to a cluster that is there already. Raises ImportError without its extra."""
    if cluster.kind == "dask":
        from prefect_dask.task_runners import DaskTaskRunner

        return DaskTaskRunner(address=cluster.address)
    import ray
    from prefect_ray import RayTaskRunner

    # A process has one connection to Ray; runners of documents side by side find it made and leave it open.
    with _connecting:
        if not ray.is_initialized():
            ray.init(cluster.address, log_to_driver=False)
    runner: TaskRunner[Any] = RayTaskRunner(address=cluster.address)
    return runner
