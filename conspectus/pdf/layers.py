"""Optional content (ISO 32000-2, 8.11): which layers are switched off when the file is opened."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PdfReader

# A PDF object of whatever kind: broken files do not keep to the types they should, so each use looks first.
Value = Any


def resolved(value: Value) -> Value:
    """The object behind a reference; broken references count as absent."""
    try:
        return value.get_object() if hasattr(value, "get_object") else value
    except MemoryError:
        raise
    except Exception:
        return None


def raw(mapping: Value, key: str) -> Value:
    """An entry as it stands, a reference unresolved."""
    return mapping.raw_get(key)


def _number(value: Value) -> int:
    """The object number of a reference, 0 for a direct object."""
    reference = value if hasattr(value, "idnum") else getattr(value, "indirect_reference", None)
    return int(getattr(reference, "idnum", 0) or 0)


class Layers:
    """The state of all layers of a file in its default configuration."""

    def __init__(self, reader: "PdfReader | None" = None) -> None:
        self._off: set[int] = set()
        if reader is None:
            return
        properties = resolved(reader.root_object.get("/OCProperties"))
        if not isinstance(properties, dict):
            return
        default = resolved(properties.get("/D")) or {}
        if default.get("/BaseState") == "/OFF":
            self._off = {_number(group) for group in resolved(properties.get("/OCGs")) or []}
            self._off -= {_number(group) for group in resolved(default.get("/ON")) or []}
        self._off |= {_number(group) for group in resolved(default.get("/OFF")) or []}

    def __bool__(self) -> bool:
        return bool(self._off)

    def hides(self, value: Value) -> bool:
        """True where content that belongs to this group or membership dictionary is not shown."""
        if not self._off or value is None:
            return False
        member = resolved(value)
        if not isinstance(member, dict) or member.get("/Type") != "/OCMD":
            return _number(value) in self._off
        expression = resolved(member.get("/VE"))
        if isinstance(expression, list):
            return not self._shown(expression, 0)
        groups: Value = member.get("/OCGs") if "/OCGs" not in member else raw(member, "/OCGs")
        inside = resolved(groups)
        each = list(inside) if isinstance(inside, list) else [groups]
        states = [_number(group) not in self._off for group in each if group is not None]
        if not states:
            return False
        policy = member.get("/P", "/AnyOn")
        shown = {"/AllOn": all(states), "/AnyOff": not all(states), "/AllOff": not any(states)}.get(policy, any(states))
        return not shown

    def _shown(self, expression: Value, depth: int) -> bool:
        """A visibility expression: /And, /Or, /Not over groups and further expressions."""
        inside = resolved(expression)
        if not isinstance(inside, list) or depth > 20:
            return _number(expression) not in self._off
        parts = [self._shown(part, depth + 1) for part in list(inside)[1:]]
        kind = str(inside[0]) if inside else ""
        if kind == "/Not":
            return not (parts and parts[0])
        return any(parts) if kind == "/Or" else all(parts)
