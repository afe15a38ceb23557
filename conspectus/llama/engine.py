"""Many requests through one context: who may start, what each step decodes, who is done. Knows nothing of llama.cpp.

What is promised: a request is decoded from its own tokens alone, each position once; what it may use is reserved before
it starts, so cells never run out; with one slot equal requests get equal answers, whatever was asked before. With more
slots the numbers of a step may differ in their last bits with the company a request had, and a near tie between two
words may then fall the other way: no bit-exact answers are promised there, as nowhere in llama.cpp.
"""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conspectus.llama.batch import Tokens
from conspectus.llama.work import Decoder, Layout, Work

# llama.cpp splits a step of a split cache where the numbers of its sequences have a gap, and each part reads all
# weights again. An idle row is cheaper than a part as long as there are not too many of them.
_ROWS_FOR_A_PART = 16
# A copied prefix moves a whole sequence's buffer in a split cache; below this many tokens decoding is as fast.
_WORTH_COPYING = 256
_ATTEMPTS = 2
# Below this a step is short, and asking Python at each node of the graph would cost more than it saves.
_LONG_STEP = 16
_NOTHING = np.empty(0, dtype=np.int32)
_OK, _NO_ROOM, _ABORTED, _INVALID = 0, 1, 2, -1


@dataclass(slots=True, eq=False)
class _Slot:
    """One sequence: what stands in it, and for whom. `steady` tokens were decoded as whole parts of a prompt.

    `head` is that of the prompt: where its first parts end.
    """

    id: int
    tokens: Tokens
    size: int = 0
    steady: int = 0
    head: int = 0
    work: Work | None = None
    is_prefilling: bool = False
    is_dirty: bool = False  # an idle row's token stands behind `size`

    def extend(self, tokens: Tokens) -> None:
        self.tokens[self.size : self.size + len(tokens)] = tokens
        self.size += len(tokens)


class Engine:
    """Continuous batching. `add` requests, call `step` while `is_busy`; `started` and `ended` are told of each.

    One prompt is decoded at a time, in parts of `decoder.step` tokens, and before anything else: the decode steps are
    then as wide as they can be. A decode step has one row for each running request (with a unified cache all fed tokens
    at once, so a forced line costs no steps). Not thread-safe.
    """

    def __init__(
        self, decoder: Decoder, layout: Layout, started: Callable[[Work], None], ended: Callable[[Work], None]
    ) -> None:
        self._decoder = decoder
        self._layout = layout
        self._started = started
        self._ended = ended
        self.width = layout.slots
        room = layout.context + decoder.step
        self._slots = [_Slot(i, np.zeros(room, dtype=np.int32)) for i in range(layout.slots)]
        self._waiting: deque[Work] = deque()
        self.prompt_tokens = 0
        self.generated_tokens = 0

    @property
    def is_busy(self) -> bool:
        """True while any request waits or runs."""
        return bool(self._waiting) or any(slot.work for slot in self._slots)

    @property
    def running(self) -> list[Work]:
        """The requests that hold a slot."""
        return [slot.work for slot in self._slots if slot.work]

    def add(self, work: Work) -> None:
        """Queues a request; it must fit the context."""
        self._waiting.append(work)

    def step(self) -> None:
        """One decode: a part of a prompt, or the next tokens of all running requests."""
        self._end_due()
        filling = next((slot for slot in self._slots if slot.is_prefilling), None) or self._admit()
        if filling:
            self._prefill(filling)
        elif any(slot.work for slot in self._slots):
            self._advance()

    def _end_due(self) -> None:
        for slot in self._slots:
            if slot.work and slot.work.due():
                slot.work.stopped = True
                self._release(slot)

    def _is_anyone_due(self) -> bool:
        return any(slot.work is not None and slot.work.due() for slot in self._slots)

    def fail_all(self, reason: str) -> None:
        """Ends every request that holds a slot with this error, and empties the context."""
        for slot in self._slots:
            if slot.work:
                slot.work.error = reason
                self._release(slot)
        self.forget()

    def run_quietly(self) -> None:
        """Runs what was added to its end; nobody is told."""
        tell = self._started, self._ended
        self._started = self._ended = lambda _work: None
        try:
            while self.is_busy:
                self.step()
        finally:
            self._started, self._ended = tell

    def forget(self) -> None:
        """Empties the context; running requests begin again."""
        self._decoder.clear()
        for slot in self._slots:
            slot.size = slot.steady = 0
            slot.is_dirty = False
            if slot.work:
                self._again(slot)

    def _admit(self) -> _Slot | None:
        running = [slot for slot in self._slots if slot.work]
        while self._waiting and len(running) < self.width:
            if running and (self._waiting[0].alone or any(slot.work and slot.work.alone for slot in running)):
                return None
            work = self._waiting.popleft()
            if work.due():
                work.stopped = True
                self._ended(work)
                continue
            slot = self._place(work)
            self._started(work)
            try:
                work.sampling = work.new_sampling() if work.new_sampling else None
            except ValueError as error:
                self._fail(slot, str(error), retryable=False)
                continue
            work.pending = np.concatenate([work.prompt[slot.size :], _array(work.answer.feed())])
            if work.answer.finish:
                self._release(slot)
                continue
            return slot
        return None

    def _place(self, work: Work) -> _Slot:
        """The free slot that needs the least decoding, cut back or filled by copying to the longest known prefix."""
        free = [slot for slot in self._slots if not slot.work]
        head = 0 if self._layout.joins else work.head
        shared = {slot.id: self._common(slot, work.prompt, head) for slot in self._slots}
        slot = max(free, key=lambda s: (shared[s.id], -s.size if not shared[s.id] else 0, -s.id))
        donor = max(self._slots, key=lambda s: shared[s.id])
        keep = shared[slot.id]
        gain = shared[donor.id] - keep
        if gain > 0 and self._decoder.can_trim and (self._layout.unified or gain >= _WORTH_COPYING):
            self._decoder.trim(slot.id, 0)
            self._decoder.copy(donor.id, slot.id)
            slot.tokens[: donor.size] = donor.tokens[: donor.size]
            slot.size, slot.is_dirty, keep = donor.size, donor.is_dirty, shared[donor.id]
        self._cut(slot, keep)
        slot.steady, slot.head = slot.size, head
        slot.work, slot.is_prefilling = work, True
        work.cached = slot.size
        return slot

    def _common(self, slot: _Slot, prompt: Tokens, head: int) -> int:
        """Tokens of `prompt` that stand in the slot, in whole parts; its last token is always decoded anew."""
        limit = min(len(prompt) - 1, slot.steady)
        if limit <= 0 or not (self._decoder.can_trim or slot.size <= limit):
            return 0
        different = np.flatnonzero(slot.tokens[:limit] != prompt[:limit])
        same = int(different[0]) if len(different) else limit
        if self._layout.joins:
            return same
        # Parts of prompts whose heads differ fall in the same places only before the first of the two.
        return self._whole(same, head) if slot.head == head else self._whole(min(same, head, slot.head), 0)

    def _whole(self, size: int, head: int) -> int:
        """The end of the last whole part among the first `size` tokens of a prompt.

        Parts are cut by the prompt alone, never by what stands in a slot already: its numbers, and so its answer, are
        then the same whatever ran before.
        """
        start = head if size >= head else 0
        return start + (size - start) // self._decoder.step * self._decoder.step

    def _end_of_part(self, size: int, head: int) -> int:
        """The end of the part that begins after `size` tokens."""
        end = self._whole(size, head) + self._decoder.step
        return min(end, head) if size < head else end

    def _cut(self, slot: _Slot, size: int) -> None:
        if size == slot.size and not slot.is_dirty:
            return
        slot.is_dirty = False
        if not self._decoder.trim(slot.id, size):
            # Recurrent and sliding-window memories cannot forget a part.
            self._decoder.trim(slot.id, 0)
            size = 0
        slot.size = size
        slot.steady = min(slot.steady, size)

    def _prefill(self, slot: _Slot) -> None:
        work = slot.work
        assert work
        batch = self._decoder.batch
        left = len(work.pending) - (1 if self._layout.joins else 0)
        part = work.pending[: min(left, self._end_of_part(slot.size, slot.head) - slot.size)]
        if not len(part):
            slot.is_prefilling = False
            self._advance()
            return
        is_last = len(part) == left
        batch.clear()
        batch.run(slot.id, part, slot.size, wants_output=is_last and not self._layout.joins)
        is_long = len(part) >= _LONG_STEP and not self._layout.joins
        # A step may take longer than the seconds that are left to one of the others.
        code = self._decoder.decode_until(self._is_anyone_due) if is_long else self._decoder.decode()
        if code == _ABORTED and not work.due():
            self._redo(slot)
        elif code != _OK:
            self._recover(code, [slot])
        if code != _OK:
            return
        slot.extend(part)
        slot.steady = min(slot.size, len(work.prompt))
        if not self._layout.joins:
            slot.steady = self._whole(slot.steady, slot.head)
        work.pending = work.pending[len(part) :]
        self.prompt_tokens += len(part)
        work.prefilled = min(slot.size, len(work.prompt))
        if is_last:
            slot.is_prefilling = False
            if not self._layout.joins:
                self._accept([slot])

    def _advance(self) -> None:
        """The next tokens of all running requests."""
        slots = [slot for slot in self._slots if slot.work]
        share = self._decoder.batch.capacity // len(slots) if self._layout.unified else 1
        self._fill(slots, share)
        code = self._decoder.decode()
        if code != _OK:
            self._recover(code, slots)
            return
        sampled = []
        for slot in slots:
            work = slot.work
            assert work
            fed = work.pending[:share]
            work.pending = work.pending[len(fed) :]
            slot.extend(fed)
            if not len(work.pending):
                sampled.append(slot)
        self._accept(sampled)

    def _fill(self, slots: list[_Slot], share: int) -> None:
        batch = self._decoder.batch
        batch.clear()
        if self._layout.unified:
            for slot in slots:
                assert slot.work
                pending = slot.work.pending
                batch.run(slot.id, pending[:share], slot.size, wants_output=len(pending) <= share)
            return
        chosen = self._with_idle(slots)
        fed = [slot.work.pending if slot.work else _NOTHING for slot in chosen]
        batch.rows(
            _array([slot.id for slot in chosen]),
            _array([int(pending[0]) if len(pending) else 0 for pending in fed]),
            _array([slot.size for slot in chosen]),
            np.array([len(pending) == 1 for pending in fed], dtype=np.int8),
        )

    def _with_idle(self, slots: list[_Slot]) -> list[_Slot]:
        """`slots` and the idle ones between them, where a row for each of those costs less than the gaps."""
        first, last = slots[0].id, slots[-1].id
        gaps = last - first + 1 - len(slots)
        parts = sum(b.id != a.id + 1 for a, b in itertools.pairwise(slots))
        if not gaps or gaps > _ROWS_FOR_A_PART * parts:
            return slots
        span = self._slots[first : last + 1]
        for slot in span:
            if not slot.work:
                # The row's token is of no use: the next decode must not see it, nor may it run over the end.
                self._cut(slot, min(slot.size, self._layout.context - 1))
                slot.is_dirty = True
        return span

    def _accept(self, slots: list[_Slot]) -> None:
        if not slots:
            return
        best = self._decoder.best()
        logits = self._decoder.logits(len(best)) if any(s.work and s.work.sampling for s in slots) else None
        for row, (slot, token) in enumerate(zip(slots, best.tolist(), strict=True)):
            work = slot.work
            assert work
            if token < 0:
                work.error = "the model computed no numbers (NaN)"
                self._release(slot, forget=True)
                continue
            if work.sampling and logits is not None:
                token = work.sampling.choose(logits[row])
            work.answer.accept(token)
            self.generated_tokens += 1
            if work.answer.finish:
                self._release(slot)
            else:
                work.pending = _array(work.answer.feed())

    def _release(self, slot: _Slot, *, forget: bool = False) -> None:
        work = slot.work
        assert work
        self._leave(slot, work)
        if forget:
            self._cut(slot, 0)
        self._ended(work)

    def _leave(self, slot: _Slot, work: Work) -> None:
        slot.work, slot.is_prefilling = None, False
        if work.sampling:
            work.sampling.close()
            work.sampling = None

    def _again(self, slot: _Slot) -> None:
        work = slot.work
        assert work
        self._leave(slot, work)
        work.begin()
        self._waiting.appendleft(work)

    def _redo(self, slot: _Slot) -> None:
        """After a part of a prompt that was ended for another request's sake: it is decoded again."""
        size = slot.size
        slot.is_dirty = True
        self._cut(slot, size)
        if slot.size != size:
            self._again(slot)

    def _recover(self, code: int, slots: list[_Slot]) -> None:
        """After a failed decode (facts: llama_decode): as few requests as possible pay for it."""
        if code == _ABORTED:
            # The part that was under way is gone from the memory; the request is due, whatever it holds.
            for slot in slots:
                assert slot.work
                slot.work.stopped = slot.is_dirty = True
                self._release(slot, forget=True)
        elif code == _NO_ROOM and len(slots) > 1:
            # Cannot happen by the reservation. The youngest goes back to the queue, and one fewer runs from now on.
            youngest = slots[-1]
            self._cut(youngest, 0)
            self._again(youngest)
            self.width = max(1, self.width - 1)
        elif code == _NO_ROOM:
            self._fail(slots[0], "the context had no room left", retryable=True)
        elif code == _INVALID and len(slots) > 1:
            # One of them; each decodes alone in turn until the culprit is found.
            for slot in reversed(slots):
                assert slot.work
                slot.work.alone = True
                self._cut(slot, 0)
                self._again(slot)
        elif code == _INVALID:
            slot = slots[0]
            places = f"{len(self._decoder.batch.tokens[: self._decoder.batch.size])} tokens at {slot.size}"
            self._fail(slot, f"llama_decode refused a batch ({places})", retryable=False)
        else:
            self._reset(code)

    def _reset(self, code: int) -> None:
        """After a fatal code nothing in the context can be trusted."""
        for slot in self._slots:
            if slot.work:
                slot.work.attempts += 1
                if slot.work.attempts > _ATTEMPTS:
                    self._fail(slot, f"llama_decode returned {code}", retryable=True)
        self.forget()

    def _fail(self, slot: _Slot, reason: str, *, retryable: bool) -> None:
        assert slot.work
        slot.work.error, slot.work.retryable = reason, retryable
        self._release(slot, forget=True)


def _array(values: list[int]) -> Tokens:
    return np.array(values, dtype=np.int32)
