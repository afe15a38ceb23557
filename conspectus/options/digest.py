"""What a user may ask of a digest, as the command line shows it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from conspectus.document import Language
from conspectus.errors import UsageError
from conspectus.llama.choose import KEY_VARIABLE, ServerAccess
from conspectus.pdf import TESSERACT, ReadOptions
from conspectus.render.formats import DEFAULT

_CLUSTER = Group("Cluster", sort_key=8)
_SERVERS = Group("Model servers", sort_key=9)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How files are read."""

    lang: Literal["auto", "en", "zh"] = "auto"
    """Language of the document."""
    password: Annotated[str | None, Parameter(show_env_var=False)] = None
    """Password of encrypted files. Other users of this machine can see it: --password-file is safer."""
    password_file: Path | None = None
    """File whose first line is the password."""
    ocr: Annotated[bool, Parameter(negative=())] = False
    """Recognise the text of scanned pages first, with ocrmypdf where it is installed, in the language of --lang."""
    memory: int = 2048
    """Megabytes that reading one file may take."""
    seconds: float = 120.0
    """Seconds that reading one file may take, besides one for each page."""

    @property
    def language(self) -> Language | None:
        """The language asked for; None: find it."""
        return None if self.lang == "auto" else Language(self.lang)

    def read_options(self) -> ReadOptions:
        """The same for the reader. Raises UsageError where the password file cannot be read."""
        password = self.password
        if self.password_file is not None:
            try:
                password = self.password_file.read_text("utf-8").split("\n")[0].rstrip("\r")
            except (OSError, UnicodeError) as error:
                raise UsageError(
                    f"{self.password_file}: the password cannot be read", "Check --password-file"
                ) from error
        languages = TESSERACT[self.language] if self.language else ""
        return ReadOptions(
            memory_mb=self.memory, seconds=self.seconds, password=password, ocr=self.ocr, ocr_languages=languages
        )


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """How servers of a model are reached."""

    api_key_env: Annotated[str, Parameter(group=_SERVERS)] = KEY_VARIABLE
    """Environment variable with the key for the servers; the key itself is never given on the command line."""
    ca_file: Annotated[Path | None, Parameter(group=_SERVERS)] = None
    """PEM file with the authority that signed the servers' certificates."""
    chat_template: Path | None = None
    """File with a chat template (jinja) in place of the one in the model file."""

    @property
    def access(self) -> ServerAccess:
        """The same for the model."""
        return ServerAccess(self.api_key_env, self.ca_file, self.chat_template)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DigestOptions(ServerOptions):
    """How a digest is made and where it goes."""

    output: Annotated[str | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)] = None
    """Folder for the results (default: beside each document); - prints the Markdown digest."""
    format: str = DEFAULT
    """Comma separated: md, json, html, and with the extra export docx, xlsx, csv (duties, dates), ics (dates)."""
    model: str = "starter"
    """starter (the bundled SmolLM2-135M), the path of a .gguf file, or http(s) addresses of servers with one model, \
comma separated: http://host:8080, http://host:8080#name for one model of several."""
    reduce_model: str | None = None
    """Another model for the overviews, named as --model is."""
    detail: Literal["brief", "normal", "full"] = "normal"
    """Length: at most 10 % of the document's characters, at most 25 %, or all that is material."""
    reduce: bool = True
    """Let the model word overviews; --no-reduce: the most material statements stand there as they are."""
    floor: bool = True
    """Replace lines that fail the check by the document's own words; --no-floor: show them, marked as unverified."""
    context: int = 4096
    """Tokens of the model's context for prompt and answer together."""
    json: Annotated[bool, Parameter(negative=())] = False
    """Report as JSON lines on stdout; the last one is the summary."""
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False
    """No progress; errors only."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative=())] = False
    """More progress lines, and tracebacks with errors."""
    runner: Annotated[Literal["threads", "dask", "ray"], Parameter(group=_CLUSTER)] = "threads"
    """Where model calls are made: in threads of this process, or on a cluster (extras dask, ray)."""
    cluster: Annotated[str | None, Parameter(group=_CLUSTER)] = None
    """Address of the cluster's scheduler: tcp://host:8786 for Dask, ray://host:10001 for Ray."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlanOptions(ServerOptions):
    """What a plan is made for and how it is shown."""

    model: str = "starter"
    """starter, the path of a .gguf file, addresses, or none: without one, tokens and calls are not counted."""
    detail: Literal["brief", "normal", "full"] = "normal"
    """Length of the digest that is planned."""
    context: int = 4096
    """Tokens of the model's context for prompt and answer together."""
    measure: Annotated[bool, Parameter(negative=())] = False
    """Let the model work for about ten seconds, to say how many minutes a run takes."""
    json: Annotated[bool, Parameter(negative=())] = False
    """One JSON object for each file, on stdout."""
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False
    """No progress."""
