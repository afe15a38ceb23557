"""Choosing a token where the likeliest will not do: a seeded chain, a grammar. Imported in the engine process only."""

import ctypes
from typing import Any

import llama_cpp as lib
import numpy as np
import numpy.typing as npt

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class GrammarError(ValueError):
    """llama.cpp cannot read the grammar."""


class Sampler:
    """Chooses the tokens of one request. `close` frees what llama.cpp holds for it.

    `temperature` 0 takes the likeliest token; above it, top-k 40, top-p 0.95 and min-p 0.05 narrow the choice and
    `seed` makes it repeatable. `grammar` is GBNF with a rule `root`: the chosen token is tried alone first, and only
    where the grammar refuses it are all others masked (a full mask costs milliseconds with 150,000 tokens).

    Raises GrammarError.
    """

    def __init__(self, vocab: Any, *, temperature: float, seed: int, grammar: str) -> None:  # noqa: ANN401
        self._chain = None
        self._grammar = None
        if grammar:
            self._grammar = lib.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
            if not self._grammar:
                raise GrammarError("the grammar cannot be read")
        if temperature > 0:
            self._chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
            for sampler in (
                lib.llama_sampler_init_top_k(40),
                lib.llama_sampler_init_top_p(0.95, 1),
                lib.llama_sampler_init_min_p(0.05, 1),
                lib.llama_sampler_init_temp(temperature),
                lib.llama_sampler_init_dist(seed & 0x7FFFFFFF),
            ):
                lib.llama_sampler_chain_add(self._chain, sampler)
        size = lib.llama_vocab_n_tokens(vocab)
        self._ids = np.arange(size, dtype=np.int32)
        self._candidates = np.zeros(size, dtype=_CANDIDATE)

    def choose(self, logits: npt.NDArray[np.float32]) -> int:
        """The next token by its `logits` (one for each token of the vocabulary); the grammar moves on with it."""
        token = self._pick(logits, masked=False)
        if self._grammar is not None and not self._allows(token):
            token = self._pick(logits, masked=True)
        for sampler in (self._grammar, self._chain):
            if sampler is not None:
                lib.llama_sampler_accept(sampler, token)
        return token

    def close(self) -> None:
        """Frees the samplers."""
        for sampler in (self._grammar, self._chain):
            if sampler is not None:
                lib.llama_sampler_free(sampler)
        self._grammar = self._chain = None

    def _pick(self, logits: npt.NDArray[np.float32], *, masked: bool) -> int:
        if self._chain is None and not masked:
            return int(np.argmax(logits))
        self._candidates["id"] = self._ids
        self._candidates["logit"] = logits
        self._candidates["p"] = 0
        array = _array(self._candidates)
        if masked:
            lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        if self._chain is None:
            return int(self._candidates["id"][np.argmax(self._candidates["logit"])])
        lib.llama_sampler_apply(self._chain, ctypes.byref(array))
        return int(array.data[array.selected].id)

    def _allows(self, token: int) -> bool:
        single = np.zeros(1, dtype=_CANDIDATE)
        single["id"], single["logit"] = token, 1.0
        array = _array(single)
        lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        return bool(np.isfinite(single["logit"][0]))


def _array(candidates: npt.NDArray[Any]) -> Any:  # noqa: ANN401 - a ctypes struct
    data = candidates.ctypes.data_as(ctypes.POINTER(lib.llama_token_data))
    return lib.llama_token_data_array(data=data, size=len(candidates), selected=-1, sorted=False)
