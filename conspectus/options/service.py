"""What a user may ask of runs that nobody watches: when they begin, who is told of their end, where figures are."""

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from conspectus.metrics.metrics import LOOPBACK

_SERVICE = Group("Notifications and metrics", sort_key=8)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """Notifications and metrics."""

    notify: Annotated[Literal["always", "problems", "never"], Parameter(group=_SERVICE)] = "always"
    """When the addresses in CONSPECTUS_NOTIFY_URLS are told how a run ended: each time, or unless all went well."""
    notify_names: Annotated[bool, Parameter(group=_SERVICE, negative=())] = False
    """Name the files that need a look in notifications; without it only counts leave this machine."""
    metrics_port: Annotated[int | None, Parameter(group=_SERVICE)] = None
    """Port of /metrics for Prometheus."""
    metrics_address: Annotated[str, Parameter(group=_SERVICE)] = LOOPBACK
    """Address at which /metrics listens; others than this machine reach it at 0.0.0.0."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Times:
    """When runs begin."""

    cron: str = "0 22 * * 1-5"
    """When, in five fields: minute, hour, day, month, weekday."""
    timezone: str | None = None
    """Time zone of --cron (default: this machine's)."""
    once: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False
    """Run now, then end."""
    late_hours: float = 12.0
    """A run that could not begin within so many hours of its time (the machine slept) is left out."""
