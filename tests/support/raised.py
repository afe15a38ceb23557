"""The messages and remedies that the code can produce, found where errors are raised."""

import ast
import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import conspectus.errors
from conspectus.batch.lock import OutputInUse
from conspectus.llama.pool.faults import Fault
from conspectus.run.session import RunLost

ROOT = Path(__file__).parent.parent.parent
KINDS = {
    name
    for name, kind in vars(conspectus.errors).items()
    if isinstance(kind, type) and issubclass(kind, conspectus.errors.ConspectusError)
} | {RunLost.__name__, OutputInUse.__name__}


@dataclass(frozen=True, slots=True)
class Raised:
    """One error as it can be raised. `message` and `remedy` have HOLE where a part changes; None: passed on."""

    at: str
    kind: str
    message: str | None
    remedy: str | None


HOLE = "7"


def raised() -> list[Raised]:
    """Every way in which the program makes an error for people."""
    return [one for path in _files() for one in _raised_in(path)]


def faults() -> list[str]:
    """What is said of a server that fails."""
    found: list[str] = []
    for path in _files():
        tree = _Reader(path)
        for call in tree.calls({Fault.__name__}):
            found += [text for text in tree.texts(call.args[1], call) if text is not None]
    return found


def _files() -> list[Path]:
    return sorted(path for folder in ("conspectus", "flows", "tasks") for path in (ROOT / folder).rglob("*.py"))


def _raised_in(path: Path) -> Iterator[Raised]:
    reader = _Reader(path)
    for call in reader.calls(KINDS):
        assert isinstance(call.func, ast.Name)
        messages = reader.texts(call.args[0], call) if call.args else [None]
        remedies = reader.texts(call.args[1], call) if len(call.args) > 1 else [""]
        at = f"{path.relative_to(ROOT)}:{call.lineno}"
        for message, remedy in itertools.product(messages, remedies):
            yield Raised(at, call.func.id, message, remedy)


class _Reader:
    """A file whose texts can be worked out without running it."""

    def __init__(self, path: Path) -> None:
        self._tree = ast.parse(path.read_text("utf-8"))
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts if parts[0] == "conspectus" else ("conspectus", *parts))
        self._module = importlib.import_module(module.removesuffix(".__init__").removesuffix(".__main__"))
        functions = [node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self._functions = {function.name: function for function in functions}

    def calls(self, names: set[str]) -> Iterator[ast.Call]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield node

    def texts(self, node: ast.expr, at: ast.expr) -> list[str | None]:
        """What an expression can be; None for what comes from elsewhere."""
        if isinstance(node, ast.Constant):
            return [node.value if isinstance(node.value, str) else None]
        if isinstance(node, ast.JoinedStr):
            pieces = [self._pieces(piece) for piece in node.values]
            return ["".join(chosen) for chosen in itertools.product(*pieces)]
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, at) + self.texts(node.orelse, at)
        if isinstance(node, ast.BoolOp):
            return [text for value in node.values for text in self.texts(value, at)]
        if isinstance(node, ast.Name):
            return self._named(node, at)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._functions:
            returns = [one for one in ast.walk(self._functions[node.func.id]) if isinstance(one, ast.Return)]
            return [text for one in returns if one.value is not None for text in self.texts(one.value, one.value)]
        return [None]

    def _named(self, node: ast.Name, at: ast.expr) -> list[str | None]:
        """A constant of the module, or what is assigned to it in the same function."""
        value = getattr(self._module, node.id, None)
        if isinstance(value, str):
            return [value]
        around = [
            function
            for function in self._functions.values()
            if function.lineno <= at.lineno <= (function.end_lineno or 0)
        ]
        found: list[str | None] = []
        for function in around[-1:]:
            for one in ast.walk(function):
                if isinstance(one, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == node.id for t in one.targets
                ):
                    found += self.texts(one.value, one.value)
        return found or [None]

    def _pieces(self, piece: ast.expr) -> list[str]:
        """What a part of an f-string can be."""
        if isinstance(piece, ast.Constant):
            return [str(piece.value)]
        assert isinstance(piece, ast.FormattedValue)
        known = self.texts(piece.value, piece.value) if isinstance(piece.value, ast.Name | ast.Call) else [None]
        return [HOLE if text is None else text for text in known]
