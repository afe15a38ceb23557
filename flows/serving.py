"""Serving a schedule: a Prefect deployment whose runs start here, for as long as this process lives."""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from conspectus.errors import ConspectusError, ExitCode, UsageError
from conspectus.nightly.schedule import Schedule
from conspectus.prefect_setup import env as prefect_env
from conspectus.prefect_setup.reach import wait_for_users_server, why_unreachable
from conspectus.prefect_setup.server import acquire

if TYPE_CHECKING:
    from prefect import Flow
    from prefect.client.orchestration import PrefectClient
    from prefect.client.schemas.objects import ConcurrencyLimitConfig
    from prefect.runner import Runner

_QUERY_SECONDS = "5"
_AGAIN_SECONDS = 5.0
_END_SECONDS = 9.0


@dataclass(frozen=True, slots=True)
class Service:
    """What is served: the name of the deployment, its times, the arguments of each run.

    `missed(now)` gives the time of a run to be made up for at the start, or None; `is_served(name)` says whether a
    process of this user serves a deployment.
    """

    name: str
    schedule: Schedule
    parameters: dict[str, Any]
    missed: Callable[[datetime], datetime | None]
    is_served: Callable[[str], bool]


def serve(load: Callable[[], "Flow[..., Any]"], service: Service, note: Callable[[str], None]) -> None:
    """Starts the flow at its times until Ctrl-C or SIGTERM; `load` imports it, once the settings are made.

    A server that is down, or goes down, is waited for: PREFECT_API_URL's, or one of our own with the scheduler on.
    Raises UsageError where Prefect refuses the schedule.
    """
    # What fails is told in one line by us; Prefect would add a traceback for each.
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    prefect_env.configure()
    os.environ.setdefault("PREFECT_RUNNER_POLL_FREQUENCY", _QUERY_SECONDS)
    users = bool(prefect_env.users_server())
    while True:
        with _server(note):
            url = os.environ["PREFECT_API_URL"]
            try:
                asyncio.run(_serve(load(), service, note, users=users))
                return
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
            except ConspectusError:
                raise
            except Exception:
                reason = why_unreachable(url)
                if not reason:
                    raise
                note(f"the Prefect server went away ({reason}); the schedule goes on once there is one again")
        time.sleep(_AGAIN_SECONDS)


def _server(note: Callable[[str], None]) -> AbstractContextManager[object]:
    users = prefect_env.users_server()
    if users:
        wait_for_users_server(users, note)
        return nullcontext()
    lease = acquire(note, scheduler=True)
    try:
        lease.wait()
    except BaseException:
        lease.release()
        raise
    return lease


async def _serve(flow: "Flow[..., Any]", service: Service, note: Callable[[str], None], *, users: bool) -> None:
    from prefect.client.orchestration import get_client
    from prefect.runner import Runner

    # Without `pause_on_shutdown=False` a restart of the machine would leave the schedule paused for good.
    runner = Runner(name=service.name, pause_on_shutdown=False)
    deployment = await _deploy(runner, flow, service)
    async with get_client() as client:
        await _end_lost_runs(client, deployment)
        await _renew_limit(client, deployment)
        if not users:
            await _pause_unserved(client, service)
        due = service.missed(datetime.now(UTC))
        if due is not None:
            note(f"the run of {due:%Y-%m-%d %H:%M} was missed or cut short: it begins now")
            await _run_now(client, deployment, due)
    coming = service.schedule.next_after(datetime.now(UTC))
    note(f"serving {service.name}: next run {coming:%Y-%m-%d %H:%M} {service.schedule.timezone}; Ctrl-C ends")
    _end_on_signals()
    await runner.start()


def _end_on_signals() -> None:
    """The first Ctrl-C or SIGTERM ends runs and server in order, within some seconds; the second one ends them now."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    seen = False

    def end() -> None:
        nonlocal seen
        if seen or task is None:
            os._exit(ExitCode.INTERRUPTED)
        seen = True
        last = threading.Timer(_END_SECONDS, os._exit, (ExitCode.INTERRUPTED,))
        last.daemon = True
        last.start()
        if not _typed():
            for run in multiprocessing.active_children():
                if run.pid is not None:
                    os.kill(run.pid, signal.SIGINT)
        task.cancel()

    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, end)


def _typed() -> bool:
    # Ctrl-C in a terminal reaches the runs as well, and a second one would end them at once.
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


async def _deploy(runner: "Runner", flow: "Flow[..., Any]", service: Service) -> UUID:
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType

    try:
        return await runner.aadd_flow(
            flow,
            name=service.name,
            schedule=Cron(service.schedule.cron, timezone=service.schedule.timezone),
            concurrency_limit=_limit(),
            parameters=service.parameters,
            paused=False,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    except ValueError as error:
        raise UsageError(
            f"Prefect does not take the schedule {service.schedule.cron!r}: {error}", "Change --cron"
        ) from error


def _limit() -> "ConcurrencyLimitConfig":
    from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy

    return ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)


async def _end_lost_runs(client: "PrefectClient", deployment: UUID) -> None:
    """Runs that were under way when their process was lost: nobody else will ever say that they ended.

    Those that were never begun go: they have the arguments of then, and one of them all is made up for below.
    """
    from prefect.client.schemas.filters import DeploymentFilter, FlowRunFilter
    from prefect.states import Crashed

    only = DeploymentFilter.model_validate({"id": {"any_": [deployment]}})
    lost = await client.read_flow_runs(
        deployment_filter=only,
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": ["RUNNING", "PENDING"]}}}),
    )
    for run in lost:
        await client.set_flow_run_state(run.id, Crashed(message="its process was lost"), force=True)
    late = {
        "state": {"type": {"any_": ["SCHEDULED"]}},
        "next_scheduled_start_time": {"before_": datetime.now(UTC).isoformat()},
    }
    while runs := await client.read_flow_runs(
        deployment_filter=only, flow_run_filter=FlowRunFilter.model_validate(late), limit=200
    ):
        for run in runs:
            await client.delete_flow_run(run.id)


async def _renew_limit(client: "PrefectClient", deployment: UUID) -> None:
    # The place of a run that was lost with its server stays taken, and every later run would be cancelled.
    from prefect.client.schemas.actions import DeploymentUpdate

    await client.update_deployment(deployment, DeploymentUpdate(concurrency_limit=None))
    options = {"collision_strategy": "CANCEL_NEW"}
    renewed = DeploymentUpdate.model_validate({"concurrency_limit": 1, "concurrency_options": options})
    await client.update_deployment(deployment, renewed)


async def _pause_unserved(client: "PrefectClient", service: Service) -> None:
    # Of folders that are no longer digested a run would be found late at each of their times, for good.
    for deployment in await client.read_deployments():
        if deployment.name != service.name and not deployment.paused and not service.is_served(deployment.name):
            await client.pause_deployment(deployment.id)


async def _run_now(client: "PrefectClient", deployment: UUID, due: datetime) -> None:
    from prefect.states import Scheduled

    await client.create_flow_run_from_deployment(deployment, state=Scheduled(scheduled_time=due))
