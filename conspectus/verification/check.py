"""The checker on all lines of a digest that are marked verified, in a process beside the one that reads the file.

python -m conspectus.verification.check    reads {"language": "en", "claims": [[line, quote], …]} and writes
                                           [[reason, …], …]
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from conspectus.check.check import check
from conspectus.document import Language, Verdict
from conspectus.evidence.sentences import ELLIPSIS
from conspectus.schema.models import DigestFile
from conspectus.spawn import spawned
from conspectus.verification.types import Claim, level_lines, overviews

WORTH_A_PROCESS = 300  # claims; each takes milliseconds, a process to start half a second


def claims(file: DigestFile) -> list[Claim]:
    """Each line that is marked verified with the evidence that it cites, once."""
    found = {(row.text, row.quote) for row in file.statements if row.verdict is Verdict.VERIFIED}
    count = len(file.statements)
    for _, row in (*overviews(file), *level_lines(file)):
        if row.verdict is Verdict.VERIFIED and all(number < count for number in row.statements):
            found.add((row.text, cited_quote(file, row.statements)))
    return sorted(found)


def cited_quote(file: DigestFile, numbers: tuple[int, ...]) -> str:
    """The evidence of an overview sentence: the quotes of the statements that it cites."""
    return ELLIPSIS.join(file.statements[number].quote for number in numbers)


def judge(asked: list[Claim], language: Language) -> dict[Claim, tuple[str, ...]]:
    """What the checker says against each claim."""
    return {claim: tuple(reason.value for reason in check(*claim, language)) for claim in asked}


class Judging:
    """The verdicts on a digest's claims; for many of them a process works while the caller does other things."""

    def __init__(self, file: DigestFile) -> None:
        self._language = file.document.language
        self._claims = claims(file)
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._process: subprocess.Popen[bytes] | None = None
        self._answer: Future[tuple[bytes, bytes]] | None = None

    def __enter__(self) -> Self:
        if len(self._claims) >= WORTH_A_PROCESS:
            process = self._process = spawned(
                lambda: subprocess.Popen(
                    [sys.executable, "-P", "-m", "conspectus.verification.check"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )
            sent = json.dumps({"language": self._language.value, "claims": self._claims}).encode()
            self._answer = self._thread.submit(process.communicate, sent)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
        self._thread.shutdown()

    def result(self) -> Mapping[Claim, tuple[str, ...]]:
        """What the checker says against each claim; waits for it."""
        if self._answer is not None and self._process is not None:
            told, _ = self._answer.result()
            if self._process.returncode == 0:
                return dict(zip(self._claims, map(tuple, json.loads(told)), strict=True))
        return judge(self._claims, self._language)


def main() -> None:
    """The process beside."""
    asked = json.loads(sys.stdin.buffer.read())
    told = judge([(line, quote) for line, quote in asked["claims"]], Language(asked["language"]))
    # In the order of the claims: equal ones were sent once.
    sys.stdout.write(json.dumps(list(told.values())))


if __name__ == "__main__":
    main()
