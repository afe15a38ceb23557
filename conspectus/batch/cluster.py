"""From what the user asked to the calls that are made on a cluster."""

from dataclasses import replace
from importlib.util import find_spec

from conspectus.errors import UsageError
from conspectus.llama.remote import Cluster, Place, Remote
from conspectus.options.digest import DigestOptions
from conspectus.paths import cache_dir
from conspectus.prefect_setup import env as prefect_env

_EXAMPLES = {"dask": "tcp://host:8786", "ray": "ray://host:10001"}


def remote_of(options: DigestOptions, patience_s: float = 0.0) -> Remote | None:
    """The calls of a run on a cluster; None where they are made here. `patience_s` as in ServerAccess.

    Raises UsageError where something is missing that every machine of the cluster needs.
    """
    kind = options.runner
    if kind == "threads":
        if options.cluster is not None:
            raise UsageError("--cluster needs --runner dask or ray", "Name the kind of the cluster")
        return None
    if options.cluster is None:
        raise UsageError(f"--runner {kind} needs the address of a cluster", f"Name it: --cluster {_EXAMPLES[kind]}")
    if find_spec(f"prefect_{kind}") is None:
        raise UsageError(f"--runner {kind} needs prefect-{kind}", f"Install it: pip install 'conspectus[{kind}]'")
    if not prefect_env.users_server():
        raise UsageError(
            f"--runner {kind} needs a Prefect server that all machines reach",
            "Start one and set PREFECT_API_URL; the local one listens to this machine alone",
        )
    access = replace(options.access, patience_s=patience_s)
    place = Place(cache_dir() / "requests", options.model, options.context, access)
    return Remote(Cluster(kind, options.cluster), place, options.reduce_model)
