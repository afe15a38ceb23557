"""Prefect's task runners for clusters, each imported where it is asked for."""

from typing import Any

from prefect.task_runners import TaskRunner

from conspectus.llama.remote import Cluster


def cluster_runner(cluster: Cluster) -> TaskRunner[Any]:
    """A runner that hands tasks to a cluster that is there already. Raises ImportError without its extra."""
    if cluster.kind == "dask":
        from prefect_dask.task_runners import DaskTaskRunner

        return DaskTaskRunner(address=cluster.address)
    from prefect_ray import RayTaskRunner

    runner: TaskRunner[Any] = RayTaskRunner(address=cluster.address)
    return runner
