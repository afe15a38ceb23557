"""What people use today, on the same model through the same backend, with its own default prompts.

What a peer does wrong is counted and left as it is: a prompt over the window raises, as llama-cpp-python's own
`create_completion` does, and the cell then says that it crashed.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.quality.asking import Asker, free
from conspectus.document import Document, Language

# Tracing would call home; the GPU machine has no network and nobody should need it.
os.environ.setdefault("LANGSMITH_TRACING", "false")
os.environ.setdefault("LANGCHAIN_TRACING_V2", "false")

PROMPT_ROOM = 160  # tokens of the longest default prompt with its chat template
CHINESE_PROMPT = "请写出以下文本的简明摘要：\n\n\n“{text}”\n\n\n简明摘要："
TREE_QUERY = "What is a summary of this document?"  # the question of LlamaIndex's own summary example


class WindowExceeded(ValueError):
    """A prompt that leaves no room for an answer."""


@dataclass(slots=True)
class Backend:
    """The model as a peer sees it: strings in, strings out, tokens counted."""

    asker: Asker
    answer_tokens: int
    window: int = field(init=False)
    squeezed: int = 0  # answers that had less room than was asked for
    overflows: int = 0

    def __post_init__(self) -> None:
        self.window = self.asker.model.info.context

    def count(self, text: str) -> int:
        """Tokens of a text alone."""
        return self.asker.model.count_texts([text])[0] if text else 0

    def complete(self, prompts: Sequence[str]) -> list[str]:
        """The answers. Raises WindowExceeded where a prompt does not fit, EngineError."""
        return self.asker_say(prompts, [self._room(prompt) for prompt in prompts])

    def asker_say(self, prompts: Sequence[str], rooms: Sequence[int]) -> list[str]:
        """The answers, each with its own limit; the calls are made together."""
        answers = self.asker.ask([free(prompt, room) for prompt, room in zip(prompts, rooms, strict=True)])
        for reason in answers.failures.values():
            raise WindowExceeded(reason)
        return ["\n".join(answers.completions[place].lines) for place in range(len(prompts))]

    def _room(self, prompt: str) -> int:
        needed = self.asker.model.count(free(prompt, 1).messages)
        left = self.window - needed
        if left < 1:
            self.overflows += 1
            raise WindowExceeded(f"Requested tokens ({needed}) exceed context window of {self.window}")
        if left < self.answer_tokens:
            self.squeezed += 1
        return min(left, self.answer_tokens)


def langchain(document: Document, backend: Backend, chain: str) -> str:
    """langchain-classic `load_summarize_chain`, chain type `map_reduce` or `refine`, its default prompts.

    Chunks by its own splitter, as many tokens as leave room for the answer (for refine also for the answer so far);
    overlap 200 as its default is.
    """
    from langchain_classic.chains.summarize import load_summarize_chain
    from langchain_core.documents import Document as Piece
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    carried = 2 if chain == "refine" else 1
    size = backend.window - carried * backend.answer_tokens - PROMPT_ROOM
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=min(200, size // 5), length_function=backend.count
    )
    pieces = [Piece(page_content=text) for text in splitter.split_text(document.text)]
    options: dict[str, Any] = {}
    if chain == "map_reduce":
        # Its default of 3000 suits a window of 4096 with 1024 for the answer; other windows in proportion.
        options = {"token_max": min(3000, backend.window - backend.answer_tokens - PROMPT_ROOM)}
    made = load_summarize_chain(_langchain_model(backend), chain_type=chain, **options)
    return str(made.invoke({"input_documents": pieces})["output_text"])


def _langchain_model(backend: Backend) -> Any:  # noqa: ANN401 - a class of the peer's
    from langchain_core.language_models.llms import BaseLLM
    from langchain_core.outputs import Generation, LLMResult

    class PeerLLM(BaseLLM):
        @property
        def _llm_type(self) -> str:
            return "conspectus-benchmark"

        def _generate(self, prompts: list[str], *_: object, **__: object) -> LLMResult:
            return LLMResult(generations=[[Generation(text=text)] for text in backend.complete(prompts)])

        def get_num_tokens(self, text: str) -> int:
            return backend.count(text)

    return PeerLLM()


def tree_summarize(document: Document, backend: Backend) -> str:
    """llama-index-core: its default sentence splitter, then the response synthesizer `tree_summarize`."""
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.response_synthesizers import TreeSummarize
    from llama_index.core.utils import set_global_tokenizer

    set_global_tokenizer(lambda text: [0] * backend.count(text))
    chunks = SentenceSplitter().split_text(document.text)
    return str(TreeSummarize(llm=_llama_index_model(backend)).get_response(TREE_QUERY, chunks))


def _llama_index_model(backend: Backend) -> Any:  # noqa: ANN401 - a class of the peer's
    from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM

    class PeerLLM(CustomLLM):  # type: ignore[misc]
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(
                context_window=backend.window, num_output=backend.answer_tokens, model_name="conspectus-benchmark"
            )

        def complete(self, prompt: str, formatted: bool = False, **_: object) -> CompletionResponse:
            return CompletionResponse(text=backend.complete([prompt])[0])

        def stream_complete(self, prompt: str, formatted: bool = False, **_: object) -> Any:  # noqa: ANN401
            raise NotImplementedError

    return PeerLLM()


def summary_prompt(language: Language) -> str:
    """The prompt of a single call: LangChain's default `stuff` prompt, in Chinese for Chinese."""
    if language is Language.ZH:
        return CHINESE_PROMPT
    return 'Write a concise summary of the following:\n\n\n"{text}"\n\n\nCONCISE SUMMARY:'


def cut_to_window(text: str, prompt: str, backend: Backend) -> str:
    """The longest beginning of a text whose prompt leaves room for the answer."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        needed = backend.asker.model.count(free(prompt.replace("{text}", text[:middle]), 1).messages)
        if needed + backend.answer_tokens <= backend.window:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def single_call(document: Document, backend: Backend) -> tuple[str, int]:
    """One call on the text cut to the window; also how many characters of it fitted."""
    prompt = summary_prompt(document.language)
    fitting = cut_to_window(document.text, prompt, backend)
    return backend.complete([prompt.replace("{text}", fitting)])[0], len(fitting)
