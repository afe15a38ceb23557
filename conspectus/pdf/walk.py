"""One pass over a page's drawing operators: where text is shown, what of it nobody can see, what images cover.

pypdf gives the parsed operators; this follows the graphics state through them (ISO 32000-2, 8.4 and 9.3) as far as the
questions here need it. Glyph widths are estimated: they decide about columns and crop boxes, never about the text.
"""

from dataclasses import dataclass, field
from typing import Any

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
# An operand: a number where the file keeps to the standard.
Value = Any
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
TINY_POINTS = 1.0
FILLS_KEPT = 2000


def times(one: Matrix, other: Matrix) -> Matrix:
    """The matrix that applies `one`, then `other`."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def box_of(points: list[tuple[float, float]]) -> Box:
    """The smallest upright box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs), min(ys), max(xs), max(ys))


def area(box: Box) -> float:
    """Its area; zero for an inverted box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def common(one: Box, other: Box) -> Box:
    """What two boxes share, inverted where they do not meet."""
    return (max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3]))


@dataclass(frozen=True, slots=True)
class Show:
    """One text-showing operator: its index, where its text begins and about ends, and why it is hidden, if it is."""

    op: int
    x: float
    y: float
    width: float
    size: float
    upright: bool
    hidden: str


@dataclass(slots=True)
class FontFact:
    """What the walk must know of a font: bytes a code, and whether its size is in its own units (Type 3)."""

    code_bytes: int = 1
    own_units: bool = False


@dataclass(slots=True)
class Context:
    """The page around the operators: its crop box, fonts, XObjects by name, hidden layers, colour spaces."""

    crop: Box
    fonts: dict[str, FontFact] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    forms: dict[str, Any] = field(default_factory=dict)
    off: frozenset[str] = frozenset()  # names of marked content that belongs to a layer which is switched off
    spaces: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """The part of the graphics state that q saves."""

    ctm: Matrix = IDENTITY
    white: bool = False
    space: str = "gray"
    mode: int = 0
    size: float = 12.0
    font: str = ""
    leading: float = 0.0
    scale: float = 1.0

    def copy(self) -> "State":
        """A snapshot for q."""
        return State(self.ctm, self.white, self.space, self.mode, self.size, self.font, self.leading, self.scale)


@dataclass(slots=True)
class Walk:
    """What one pass found. `marks` counts painted things that are neither text nor rules nor white."""

    shows: list[Show] = field(default_factory=list)
    image_share: float = 0.0
    images: int = 0
    marks: int = 0
    forms: list[tuple[int, str, State]] = field(default_factory=list)
    off_forms: list[int] = field(default_factory=list)


def _number(value: Value) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


class Walker:
    """Runs over operators and fills a Walk."""

    def __init__(self, context: Context, state: State | None = None) -> None:
        self.context = context
        self.state = state or State()
        self.walk = Walk()
        self.stack: list[State] = []
        self.tm: Matrix = IDENTITY
        self.line: Matrix = IDENTITY
        self.path: list[tuple[float, float]] = []
        self.fills: list[tuple[Box, bool]] = []
        self.layers: list[bool] = []
        # Whether the pen stands where the file put it, not behind a text of estimated width; whether that is off.
        self.exact = True
        self.off = False
        self.handlers = {
            b"q": self._save, b"Q": self._restore, b"cm": self._cm,
            b"BT": self._bt, b"Tf": self._tf, b"Tm": self._tm, b"Td": self._td, b"TD": self._td_leading,
            b"T*": self._next_line, b"TL": self._tl, b"Tr": self._tr, b"Tz": self._tz,
            b"Tj": self._show, b"TJ": self._show, b"'": self._show_next, b'"': self._show_next,
            b"g": self._gray, b"rg": self._rgb, b"k": self._cmyk, b"cs": self._cs, b"sc": self._sc, b"scn": self._sc,
            b"re": self._re, b"m": self._point, b"l": self._point, b"c": self._curve, b"v": self._curve,
            b"f": self._fill, b"F": self._fill, b"f*": self._fill, b"B": self._fill, b"B*": self._fill,
            b"b": self._fill, b"b*": self._fill, b"S": self._stroke, b"s": self._stroke, b"n": self._no_paint,
            b"sh": self._shade, b"Do": self._do, b"INLINE IMAGE": self._inline,
            b"BDC": self._bdc, b"BMC": self._bmc, b"EMC": self._emc,
        }  # fmt: skip

    def run(self, operations: list[tuple[Any, bytes]]) -> Walk:
        """Walks over all operators; malformed operands count as absent."""
        handlers = self.handlers
        for index, (operands, operator) in enumerate(operations):
            handler = handlers.get(operator)
            if handler is not None:
                try:
                    handler(index, operands)
                except (TypeError, ValueError, IndexError, OverflowError):
                    continue
        return self.walk

    def _save(self, _: int, __: list[Any]) -> None:
        self.stack.append(self.state.copy())

    def _restore(self, _: int, __: list[Any]) -> None:
        if self.stack:
            self.state = self.stack.pop()

    def _cm(self, _: int, operands: list[Any]) -> None:
        a, b, c, d, e, f = (float(value) for value in operands)
        self.state.ctm = times((a, b, c, d, e, f), self.state.ctm)

    def _bt(self, _: int, __: list[Any]) -> None:
        self.tm = self.line = IDENTITY
        self.exact = True

    def _tf(self, _: int, operands: list[Any]) -> None:
        self.state.font = str(operands[0])
        self.state.size = float(operands[1])

    def _tm(self, _: int, operands: list[Any]) -> None:
        a, b, c, d, e, f = (float(value) for value in operands)
        self.tm = self.line = (a, b, c, d, e, f)
        self.exact = True

    def _move(self, x: float, y: float) -> None:
        a, b, c, d, e, f = self.line
        self.tm = self.line = (a, b, c, d, e + x * a + y * c, f + x * b + y * d)
        self.exact = True

    def _td(self, _: int, operands: list[Any]) -> None:
        self._move(float(operands[0]), float(operands[1]))

    def _td_leading(self, _: int, operands: list[Any]) -> None:
        self.state.leading = -float(operands[1])
        self._move(float(operands[0]), float(operands[1]))

    def _next_line(self, _: int, __: list[Any]) -> None:
        self._move(0.0, -self.state.leading)

    def _tl(self, _: int, operands: list[Any]) -> None:
        self.state.leading = float(operands[0])

    def _tr(self, _: int, operands: list[Any]) -> None:
        self.state.mode = int(operands[0])

    def _tz(self, _: int, operands: list[Any]) -> None:
        self.state.scale = float(operands[0]) / 100

    def _show_next(self, index: int, operands: list[Any]) -> None:
        self._next_line(index, operands)
        self._show(index, operands[-1:])

    def _show(self, index: int, operands: list[Any]) -> None:
        state = self.state
        font = self.context.fonts.get(state.font) or FontFact()
        codes, kern = _codes(operands[0])
        em = 0.5 if font.code_bytes == 1 else 1.0
        advance = (codes / font.code_bytes * em - kern / 1000) * state.size * state.scale
        at = times(self.tm, state.ctm)
        size = abs(state.size) * max((at[2] ** 2 + at[3] ** 2) ** 0.5, (at[0] ** 2 + at[1] ** 2) ** 0.5)
        width = advance * (at[0] ** 2 + at[1] ** 2) ** 0.5
        upright = at[0] > 0 and abs(at[1]) < 0.01 * at[0]
        if self.exact:
            self.off = self._is_off(at[4], at[5], width if upright else 0.0, size)
            self.exact = False
        hidden = self._hidden(at[4], at[5], size, font) if codes else ""
        self.walk.shows.append(Show(index, at[4], at[5], width, size, upright, hidden))
        a, b, c, d, e, f = self.tm
        self.tm = (a, b, c, d, e + advance * a, f + advance * b)

    def _is_off(self, x: float, y: float, width: float, size: float) -> bool:
        """True where all of a text lies outside the crop box; a line that begins outside and runs in is seen."""
        left, bottom, right, top = self.context.crop
        return y > top + 1 or y + size < bottom - 1 or x > right + 1 or x + 1.3 * width + size < left - 1

    def _hidden(self, x: float, y: float, size: float, font: FontFact) -> str:
        state = self.state
        if any(self.layers):
            return "layer"
        if state.mode in (3, 7):
            return "invisible"
        if size < TINY_POINTS and not font.own_units:
            return "tiny"
        if self.off:
            return "off the page"
        if state.white and state.mode in (0, 4) and not self._dark_at(x + 0.3 * size, y + 0.3 * size):
            return "white"
        return ""

    def _dark_at(self, x: float, y: float) -> bool:
        """True where the last thing painted under this point is not white."""
        for box, white in reversed(self.fills):
            if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
                return not white
        return False

    def _gray(self, _: int, operands: list[Any]) -> None:
        self.state.space, self.state.white = "gray", float(operands[0]) >= 0.99

    def _rgb(self, _: int, operands: list[Any]) -> None:
        self.state.space, self.state.white = "rgb", all(float(value) >= 0.99 for value in operands[:3])

    def _cmyk(self, _: int, operands: list[Any]) -> None:
        self.state.space, self.state.white = "cmyk", all(float(value) <= 0.01 for value in operands[:4])

    def _cs(self, _: int, operands: list[Any]) -> None:
        self.state.space = self.context.spaces.get(str(operands[0]), "other")
        self.state.white = False  # the initial colour of all spaces used here is black or unknown

    def _sc(self, index: int, operands: list[Any]) -> None:
        paint = {"gray": self._gray, "rgb": self._rgb, "cmyk": self._cmyk}.get(self.state.space)
        space = self.state.space
        self.state.white = False
        if paint is not None and all(isinstance(value, (int, float)) for value in operands):
            paint(index, operands)
        self.state.space = space

    def _at(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.state.ctm
        return (x * a + y * c + e, x * b + y * d + f)

    def _re(self, _: int, operands: list[Any]) -> None:
        x, y, width, height = (float(value) for value in operands)
        self.path += [self._at(x, y), self._at(x + width, y + height)]

    def _point(self, _: int, operands: list[Any]) -> None:
        self.path.append(self._at(float(operands[0]), float(operands[1])))

    def _curve(self, _: int, operands: list[Any]) -> None:
        self.path.append(self._at(float(operands[-2]), float(operands[-1])))

    def _fill(self, _: int, __: list[Any]) -> None:
        if self.path:
            box = box_of(self.path)
            self._cover(box, self.state.white)
            if not self.state.white and min(box[2] - box[0], box[3] - box[1]) > 3:
                self.walk.marks += 1
        self.path = []

    def _cover(self, box: Box, white: bool) -> None:
        self.fills.append((box, white))
        if len(self.fills) > FILLS_KEPT:
            del self.fills[: FILLS_KEPT // 2]

    def _stroke(self, _: int, __: list[Any]) -> None:
        # Straight upright lines are rules and frames; what has many points is a drawing, perhaps of letters.
        self.walk.marks += len(self.path) > 5
        self.path = []

    def _no_paint(self, _: int, __: list[Any]) -> None:
        self.path = []

    def _shade(self, _: int, __: list[Any]) -> None:
        self._cover(self.context.crop, False)
        self.walk.marks += 1

    def _inline(self, _: int, __: list[Any]) -> None:
        self._image()

    def _image(self) -> None:
        box = box_of([self._at(x, y) for x in (0, 1) for y in (0, 1)])
        page = area(self.context.crop)
        if page and not any(self.layers):
            self.walk.image_share = max(self.walk.image_share, area(common(box, self.context.crop)) / page)
        self.walk.images += 1
        self._cover(box, False)

    def _do(self, index: int, operands: list[Any]) -> None:
        name = str(operands[0])
        if name in self.context.images:
            self._image()
        elif name in self.context.off or any(self.layers):
            self.walk.off_forms.append(index)
        elif name in self.context.forms:
            self.walk.forms.append((index, name, self.state.copy()))

    def _bdc(self, _: int, operands: list[Any]) -> None:
        off = len(operands) > 1 and str(operands[0]) == "/OC" and str(operands[1]) in self.context.off
        self.layers.append(off)

    def _bmc(self, _: int, __: list[Any]) -> None:
        self.layers.append(False)

    def _emc(self, _: int, __: list[Any]) -> None:
        if self.layers:
            self.layers.pop()


def _codes(shown: Value) -> tuple[int, float]:
    """Bytes shown and the sum of the kerning numbers between them."""
    if isinstance(shown, (bytes, str)):
        return len(shown), 0.0
    codes, kern = 0, 0.0
    for part in shown:
        if isinstance(part, (bytes, str)):
            codes += len(part)
        else:
            kern += _number(part)
    return codes, kern
