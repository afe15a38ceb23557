"""What is wrong with a model file, found without loading it: the findings of `conspectus model check`."""

import re
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import ModelError
from conspectus.llama.ggml_types import (
    ARCHITECTURES,
    DIFFUSION,
    LIBRARY,
    REMOVED_TYPES,
    TENSOR_TYPES,
    TYPE_COUNT,
    WITHOUT_TEXT,
)
from conspectus.llama.gguf import GET_AGAIN, parts, read_header, resolve_model
from conspectus.llama.gguf_header import Header
from conspectus.llama.inspection import type_name
from conspectus.plural import many

_NEWER = "Update conspectus with its llama-cpp-python, or take a file made for this version"
# Words in a model's name and the starts of the architectures that such models have.
_FAMILIES = {
    "qwen": ("qwen", "rwkv6qwen2"),
    "gemma": ("gemma",),
    "mistral": ("mistral", "llama"),
    "mixtral": ("llama",),
    "phi": ("phi",),
    "falcon": ("falcon",),
    "deepseek": ("deepseek",),
    "granite": ("granite",),
    "gpt-oss": ("gpt-oss",),
    "mamba": ("mamba",),
    "smollm3": ("smollm3",),
    "smollm": ("smollm", "llama"),
    "glm": ("glm", "chatglm"),
    "internlm": ("internlm", "llama"),
    "olmo": ("olmo",),
    "lfm": ("lfm",),
    "exaone": ("exaone",),
    "llama": ("llama", "deci"),
}
# Those whose names say that they are made from another family: their architecture follows the base.
_MADE_FROM = re.compile(r"distill|merge|abliterat|nemotron|hermes|dolphin|coder-v2|moe", re.I)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a file. An `is_error` one means that the model cannot be used as asked; else it is a warning."""

    is_error: bool
    message: str
    remedy: str = ""


def check_file(name: str, context: int = 0) -> list[Finding]:
    """All findings about the model that `name` means ("starter" or a path), the errors first.

    `context` in tokens is compared with what the model was trained on; 0: not asked. Never raises ModelError.
    """
    try:
        path = resolve_model(name) if name == "starter" else Path(name).expanduser()
        if not path.is_file():
            resolve_model(str(path))
        headers = [(part, read_header(part, whole=False)) for part in parts(path)]
    except ModelError as error:
        return [Finding(True, error.message, error.remedy)]
    findings = [finding for part, header in headers for finding in _whole(part, header)]
    header = headers[0][1]
    findings += _split(headers[0][0], header, headers)
    findings += _architecture(header)
    findings += [finding for _, one in headers for finding in _types(one)]
    findings += [*_vocabulary(header), *_template(header), *_agreement(path, header), *_context(header, context)]
    return sorted(dict.fromkeys(findings), key=lambda finding: not finding.is_error)


def _whole(path: Path, header: Header) -> list[Finding]:
    size = path.stat().st_size
    if header.needed <= size:
        return []
    short = header.needed - size
    return [
        Finding(
            True,
            f"{path.name} is cut short: it has {size:,} of at least {header.needed:,} bytes ({short:,} are missing)",
            GET_AGAIN,
        )
    ]


def _split(path: Path, header: Header, headers: list[tuple[Path, Header]]) -> list[Finding]:
    count, number = header.values.get("split.count", 0), header.values.get("split.no", 0)
    if not isinstance(count, int) or count <= 1:
        return []
    if count != len(headers):
        return [
            Finding(
                True,
                f"{path.name} is one part of {count}, but its name does not say so: the others cannot be found",
                f"Give the parts their names back: {path.stem}-00001-of-{count:05d}.gguf and so on",
            )
        ]
    promised, found = header.values.get("split.tensors.count"), sum(one.tensors for _, one in headers)
    if number == 0 and isinstance(promised, int) and promised != found:
        return [Finding(True, f"the parts have {found:,} tensors together, {promised:,} are promised", GET_AGAIN)]
    return []


def _architecture(header: Header) -> list[Finding]:
    name = header.architecture
    if not name:
        return [Finding(True, "the header names no architecture (general.architecture)", "Convert the model again")]
    if name not in ARCHITECTURES:
        return [
            Finding(True, f"unknown model architecture: '{name}': {LIBRARY} does not know it", _NEWER),
        ]
    if name in WITHOUT_TEXT or name in DIFFUSION:
        kind = "writes text by diffusion, not token by token" if name in DIFFUSION else "writes no text"
        return [Finding(True, f"a model of architecture '{name}' {kind}", "Choose an instruction-tuned chat model")]
    if not header.tensors and header.values.get("split.count", 0) in (0, 1):
        return [Finding(True, "the file has a vocabulary and no weights", "Choose the file of the whole model")]
    return []


def _types(header: Header) -> list[Finding]:
    findings = []
    for kind in sorted({info.kind for info in header.infos} - TENSOR_TYPES.keys()):
        several = many(sum(info.kind == kind for info in header.infos), "tensor is", "tensors are")
        if kind in REMOVED_TYPES:
            message = f"{several} of type {kind} ({type_name(kind)}), which llama.cpp no longer reads"
            findings.append(Finding(True, message, "Quantise the model again; Q4_0 is rearranged at load now"))
            continue
        message = (
            f"{several} of type {kind}; {LIBRARY} knows types below {TYPE_COUNT}: "
            "the file was made for a newer llama.cpp"
        )
        findings.append(Finding(True, message, f"{_NEWER}. A Q8_K_L type never existed: look at the publisher's name"))
    return findings


def _vocabulary(header: Header) -> list[Finding]:
    if header.lengths.get("tokenizer.ggml.tokens") or not header.architecture:
        return []
    return [Finding(True, "the file has no vocabulary (tokenizer.ggml.tokens)", "Choose the file of the whole model")]


def _template(header: Header) -> list[Finding]:
    if header.template:
        return []
    return [
        Finding(
            False,
            "the file has no chat template: a plain instruction form is used, and a base model may not follow it",
            "Choose an instruct or chat version, or name a template with --chat-template",
        )
    ]


def _agreement(path: Path, header: Header) -> list[Finding]:
    """The architecture against the model's own name, and against the file's where the header has none."""
    name, arch = (header.name or path.stem), header.architecture
    if not arch or _MADE_FROM.search(name):
        return []
    for word, starts in _FAMILIES.items():
        if re.search(rf"(?<![a-z]){re.escape(word)}", name, re.I):
            if arch.startswith(starts):
                return []
            message = f"the model is named '{name}', but its architecture is '{arch}'"
            return [Finding(False, message, "Make sure that this is the model you mean: see conspectus model inspect")]
    return []


def _context(header: Header, context: int) -> list[Finding]:
    trained = header.context_length
    if not trained:
        return [Finding(False, "the header does not say on how many tokens the model was trained")]
    if context <= trained:
        return []
    message = f"a context of {context:,} tokens was asked, the model was trained on {trained:,}"
    return [Finding(True, message, f"Use --context {trained} or less, or a model for longer texts")]
