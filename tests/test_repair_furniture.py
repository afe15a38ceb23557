import pytest

from conspectus.repair.furniture import find_furniture
from conspectus.repair.page_numbers import certain_numbers, page_number


def kept(*pages: str, labels: list[str] | None = None) -> list[str]:
    labels = labels or [str(index + 1) for index in range(len(pages))]
    found = find_furniture(pages, labels)
    return [
        "\n".join(line for at, line in enumerate(page.split("\n")) if at not in gone)
        for page, gone in zip(pages, found, strict=True)
    ]


BODY = [
    f"{word} first line of the body\nthe second {word} line\nand a {word} third\n"
    f"more {word} words\nanother {word}\nthe end of {word}"
    for word in "alpha beta gamma delta epsilon zeta eta theta".split()
]


def test_head_and_numbered_foot() -> None:
    pages = [f"Lease: Units 3 and 4\n{body}\nPage {at + 1} of 8" for at, body in enumerate(BODY)]
    assert kept(*pages) == BODY


@pytest.mark.parametrize(
    "form", ["{}", " {} ", "- {} -", "— {} —", "-{}-", "Page {}", "第 {} 页", "第{}页 共8页", "{} of 8", "A-{}"]
)
@pytest.mark.parametrize("top", [True, False])
def test_page_numbers(form: str, top: bool) -> None:
    numbers = [form.format(at + 1) for at in range(8)]
    pages = [f"{n}\n{body}" if top else f"{body}\n{n}" for n, body in zip(numbers, BODY, strict=True)]
    assert kept(*pages) == BODY


def test_roman_numbers_and_a_first_page_without() -> None:
    pages = [BODY[0], *(f"{body}\n{n}" for n, body in zip(["ii", "iii", "iv"], BODY[1:4], strict=True))]
    assert kept(*pages) == BODY[:4]


def test_a_number_that_is_the_label_of_its_page() -> None:
    pages = [BODY[0], f"{BODY[1]}\nii", f"{BODY[2]}\n1"]
    assert kept(*pages, labels=["i", "ii", "1"]) == BODY[:3]
    assert kept(*pages) == pages


def test_short_documents() -> None:
    assert kept(f"{BODY[0]}\n1", f"{BODY[1]}\n2") == BODY[:2]
    assert kept(f"{BODY[0]}\nPage 1 of 1") == BODY[:1]
    assert kept(f"{BODY[0]}\n- 1 -") == BODY[:1]
    for pages in ([f"{BODY[0]}\n7"], [f"{BODY[0]}\n12", f"{BODY[1]}\n30"], [f"1\n{BODY[0]}", f"2\n{BODY[1]}"]):
        assert kept(*pages) == pages


def test_alternating_heads_that_change() -> None:
    title = ["Copyright Law of the States", "CONTENTS\nScope of Copyright ........ 1\nDuration of Copyright ........ 5"]
    pages, body = [], []
    for at in range(16):
        chapter = "Scope of Copyright" if at < 8 else "Duration of Copyright"
        text = BODY[at % 8].replace("line", f"line{chr(97 + at)}")
        body.append(text)
        head = f"{at + 3} Copyright Law of the States" if at % 2 else f"Copyright Law of the States {at + 3}"
        pages.append(f"§{100 + at}\n{head}\n{chapter}\n{text}" if at % 2 else f"{head}\n{chapter}§ {100 + at}\n{text}")
    assert kept(*title, *pages)[2:] == body


@pytest.mark.parametrize(
    "pages",
    [
        [f"SCHEDULE {at + 1}\n{body}" for at, body in enumerate(BODY)],
        [f"Article {at + 1}\n{body}" for at, body in enumerate(BODY)],
        [f"第{n}章\n{body}" for n, body in zip("一二三四五六七八", BODY, strict=True)],
        [f"{body}\n{at + 3}.1." for at, body in enumerate(BODY)],
        [f"{body}\n({at + 1})" for at, body in enumerate(BODY)],
        [f"{body}\n12,500 14,{at}00" for at, body in enumerate(BODY)],
        [f"Service Name Fee (USD)\nHosting 10 20\n{body}" for body in BODY[:4]] + BODY[4:],
        [f"{body}\nBy: ________\nName:\nTitle:" for body in BODY[:4]] + BODY[4:],
        [f"{body}\n[See attached.]" for body in BODY[:4]] + BODY[4:],
        [f"[Form field Name: Smith]\n{body}" for body in BODY],
        ["Each party shall keep\nthe information\nin confidence.\nThe law applies."] * 5,
        [f"physical page {at}" for at in range(6)],
        ["", "", ""],
        [],
    ],
)
def test_body_that_stays(pages: list[str]) -> None:
    assert kept(*pages) == pages


def test_a_numbered_body_line_is_no_head() -> None:
    pages = ["\n".join(f"Body line {n} on page {at} of the text" for n in range(12)) for at in range(6)]
    assert kept(*pages) == pages


def test_done_twice_it_takes_no_more() -> None:
    pages = [f"A LEASE\n{at + 1}\n{body}\nConfidential\nSource: X, 10-K" for at, body in enumerate(BODY)]
    once = kept(*pages)
    assert once == BODY
    assert kept(*once) == once


def test_a_series_needs_its_neighbours() -> None:
    lone = page_number("7", 3, 0, 0, "4")
    assert lone is not None
    assert certain_numbers([lone]) == []
    assert page_number("(7)", 3, 0, 0, "4") is None
    assert page_number("7.", 3, 0, 0, "4") is None
    assert page_number("iiii", 3, 0, 0, "4") is None
