"""One step's tokens in the layout that llama.cpp reads, filled by numpy: no Python loop over tokens."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Tokens: TypeAlias = npt.NDArray[np.int32]


class Batch:
    """Arrays for at most `capacity` tokens of sequences 0 to `sequences` - 1.

    `tokens`, `positions`, `id_counts` (int32), `id_pointers` (addresses of sequence numbers) and `outputs` (int8: 1
    where logits are wanted) are valid up to `size`. They never move, so a native struct may point to them.
    """

    def __init__(self, capacity: int, sequences: int) -> None:
        self.capacity = capacity
        self.size = 0
        self.tokens = np.zeros(capacity, dtype=np.int32)
        self.positions = np.zeros(capacity, dtype=np.int32)
        self.id_counts = np.ones(capacity, dtype=np.int32)
        self.outputs = np.zeros(capacity, dtype=np.int8)
        self.id_pointers = np.zeros(capacity, dtype=np.uintp)
        self.sequences = np.zeros(capacity, dtype=np.int32)
        # Each sequence number once in memory; a token points to the one it belongs to.
        self._ids = np.arange(sequences, dtype=np.int32)
        self._addresses = (self._ids.ctypes.data + self._ids.itemsize * np.arange(sequences)).astype(np.uintp)

    def run(self, sequence: int, tokens: Tokens, start: int, *, wants_output: bool) -> None:
        """Appends consecutive tokens of one sequence from position `start`; logits for the last one if wanted."""
        size = len(tokens)
        part = slice(self.size, self.size + size)
        self.tokens[part] = tokens
        self.positions[part] = np.arange(start, start + size, dtype=np.int32)
        self.sequences[part] = sequence
        self.id_pointers[part] = self._addresses[sequence]
        self.outputs[part] = 0
        self.size += size
        self.outputs[self.size - 1] = wants_output

    def rows(self, sequences: Tokens, tokens: Tokens, positions: Tokens, outputs: npt.NDArray[np.int8]) -> None:
        """Appends one token of each of these sequences."""
        part = slice(self.size, self.size + len(tokens))
        self.tokens[part] = tokens
        self.positions[part] = positions
        self.sequences[part] = sequences
        self.id_pointers[part] = self._addresses[sequences]
        self.outputs[part] = outputs
        self.size += len(tokens)

    def clear(self) -> None:
        """Empties the batch."""
        self.size = 0
