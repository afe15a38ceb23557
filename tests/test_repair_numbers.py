import pytest

from conspectus.repair.map import Mapped
from conspectus.repair.numbers import drop_line_numbers, numbered_pages

WORDS = "the plaintiff says that the contract of the parties\nwas made on Monday and\nnot on Tuesday as pleaded"


def clean(*texts: str) -> list[str]:
    found = numbered_pages(texts)
    return [drop_line_numbers(Mapped.of(t), n).text if n else t for t, n in zip(texts, found, strict=True)]


def block(last: int) -> str:
    return "".join(f"{number}\n" for number in range(1, last + 1))


def test_numbers_all_at_once() -> None:
    assert clean(block(28) + WORDS, block(28) + WORDS) == [WORDS, WORDS]
    assert clean(f"   \n{block(25)}{WORDS}") == [f"   \n{WORDS}"]


def test_numbers_beside_the_lines() -> None:
    lines = [f"line of words {i} that goes" for i in range(25)]
    page = "\n".join(f"{i + 1} {line}" for i, line in enumerate(lines))
    assert clean(page, page) == ["\n".join(lines)] * 2


def test_numbers_between_the_lines() -> None:
    lines = [f"line of words that goes on {chr(97 + i)}" for i in range(25)]
    page = "\n".join(f"{i + 1}\n{line}" for i, line in enumerate(lines))
    assert clean(page, page) == ["\n".join(lines)] * 2


@pytest.mark.parametrize(
    "texts",
    [
        ["Item\n1\n2\n3\n4\n5\nServers\nSupport"],
        ["\n".join(f"{i}. The Tenant shall pay." for i in range(1, 30))] * 2,
        ["\n".join(f"{i} Definitions" for i in range(1, 22))],
        ["\n".join(f"{i} Widget {i * 3}" for i in range(1, 13)), WORDS, WORDS],
        [block(9) + WORDS] * 3,
        [WORDS, "7\nThe Tenant"],
    ],
)
def test_numbers_that_stay(texts: list[str]) -> None:
    assert clean(*texts) == texts
