"""The map back to the page, and what holds for every repair: it slices right and done twice it changes no more."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conspectus.evidence.reading import repair_page, repair_pages
from conspectus.repair.characters import repair_characters
from conspectus.repair.lines import (
    close_cjk_gaps,
    close_spaced_headings,
    cut_words,
    drop_double_struck,
    join_cut_words,
    undouble_glyphs,
)
from conspectus.repair.map import Edit, Mapped, identity, line_spans

PIECES = [
    "第一条", "\u3000为了", "承租人", "甲甲", "𠮷野家", "\U0001f469\u200d\U0001f4bb", "\u845b\U000e0100", "e\u0301",
    "が", "\u304b\u3099", "\u1112\u1161\u11ab", "\r\n", "\r", "\n", "\n\n", "\x0c", "\x0b", "\u2028", " ", "  ",
    "\xa0", "\u2003", "\u200b", "\ufeff", "\xad", "\xad\n", "\x00", "\x03", "\ue000", "\uf0b7 ", "ﬁ", "ﬅ", "⼈",
    "⺠", "-\n", "- \n", "book", "committee", "SSTTAATTEE", "aabbccddeeff", "A R T I C L E  I",
    "W I T N E S S E T H", "ARTICLE 5 TERM\n", "THE TENANT SHALL PAY\n", "1\n", "2 pay\n", "\u0301",
    "[Form field Name: \ufb01\xa0x]", "[Annotation: A  B]\n", "Page 3 of 9\n", "- 3 -\n",
    "第 一 条 为 了 保 护 民 事 主 体 的 权 益", "inde", "pendent", "non", "self-help", "1 0 0 万 元", "AAAA", "x",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))


def check_map(raw: str, page: Mapped) -> None:
    assert len(page.origin) == len(page.text)
    assert all(a <= b for a, b in zip(page.origin, page.origin[1:], strict=False))
    assert all(0 <= at < max(1, len(raw)) for at in page.origin)


@given(TEXTS, st.data())
def test_edits_keep_the_map_right(raw: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [Edit(a, b, data.draw(st.text(max_size=3))) for a, b in pairs]
    page = Mapped.of(raw).edit(edits)
    check_map(raw, page)
    if "[Form field" in raw or "[Annotation" in raw:
        return
    expected, at = "", 0
    for edit in edits:
        expected += raw[at : edit.start] + edit.text
        at = edit.end
    assert page.text == expected + raw[at:]
    new = sum(len(edit.text) for edit in edits)
    same = sum(raw[origin] == char for char, origin in zip(page.text, page.origin, strict=True))
    assert same >= len(page.text) - new


@pytest.mark.parametrize("edit", [Edit(2, 2), Edit(3, 2), Edit(0, 9)])
def test_an_edit_without_a_place_is_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match="edit"):
        Mapped.of("abc").edit([edit])


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        Mapped.of("abcdef").edit([Edit(0, 3), Edit(2, 4)])


def test_map_is_empty_where_nothing_changed() -> None:
    assert Mapped.of("abc").map_to("abc") == ()
    assert Mapped.of("abc").edit([Edit(2, 3)]).map_to("abc") == ()
    assert Mapped.of("abc").edit([Edit(1, 2, "x")]).map_to("abc") == (0, 1, 2)
    assert Mapped.of("abc").edit([Edit(0, 1)]).map_to("abc") == (1, 2)
    assert identity(3) == (0, 1, 2)


def test_lines_and_blank_edges_go() -> None:
    page = Mapped.of("\n  \n  a\nb\nc\n \n")
    assert page.without_lines([3]).trimmed().text == "  a\nc"
    assert page.without_lines([3]).trimmed().origin == (4, 5, 6, 7, 10)
    assert Mapped.of(" \n ").trimmed().text == ""
    assert Mapped.of("a\nb").without_lines([1]).trimmed().text == "a"


@given(TEXTS)
def test_line_spans_are_the_lines(text: str) -> None:
    assert [text[start:end] for start, end in line_spans(text)] == text.split("\n")


@pytest.mark.parametrize(
    "repair",
    [repair_characters, undouble_glyphs, drop_double_struck, close_cjk_gaps, close_spaced_headings, repair_page],
)
@given(raw=TEXTS)
@settings(max_examples=150, deadline=None)
def test_repairs_slice_right_and_settle(repair, raw: str) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    page = repair(Mapped.of(raw))
    check_map(raw, page)
    again = repair(Mapped.of(page.text))
    assert again.text == page.text
    assert again.map_to(page.text) == ()
    # What was not replaced is the character of the page that it says it is.
    kept = set("承租人甲野家💻booktSTAE第一条")
    for char, at in zip(page.text, page.origin, strict=True):
        if char in kept and raw[at] in kept:
            assert raw[at] == char


@given(TEXTS)
@example("cut\u00ad")
@settings(max_examples=400, deadline=None)
def test_marked_lines_pass_untouched(text: str) -> None:
    mark = "[Form field Rent: ﬁve\u00a0 \u00adAABBCCDDEEFF]"
    assert mark in repair_page(Mapped.of(f"{text}\n{mark}\n{text}")).text.split("\n")


@given(st.lists(TEXTS, max_size=5))
@example(["[Form field\0"])
@settings(max_examples=150, deadline=None)
def test_pages_of_a_document_slice_right(raws: list[str]) -> None:
    labels = [str(index + 1) for index in range(len(raws))]
    for raw, (page, _) in zip(raws, repair_pages(raws, labels), strict=True):
        check_map(raw, page)
        assert "\0" not in page.text
        assert "\r" not in page.text or "[" in page.text


LINES = st.lists(st.text("abcdeRST 第一条,.()-12", min_size=1, max_size=30), min_size=4, max_size=14)


@given(
    st.lists(LINES, min_size=1, max_size=6), st.sampled_from(["", "A LEASE", "Lease 12", "租赁合同"]), st.integers(0, 3)
)
@settings(deadline=None)
def test_repaired_pages_stay_as_they_are(bodies: list[list[str]], head: str, form: int) -> None:
    labels = [str(index + 1) for index in range(len(bodies))]
    feet = [("", f"{at}", f"Page {at} of 9", f"- {at} -")[form] for at in labels]
    raws = ["\n".join([head, *body, foot]) for body, foot in zip(bodies, feet, strict=True)]
    once = [page.text for page, _ in repair_pages(raws, labels)]
    assert [page.text for page, _ in repair_pages(once, labels)] == once


@given(st.lists(TEXTS, max_size=4))
@settings(deadline=None)
def test_joining_cut_words_settles(raws: list[str]) -> None:
    def joined(pages: list[Mapped]) -> list[Mapped]:
        known = cut_words(pages)
        return [join_cut_words(page, known) for page in pages]

    once = joined([Mapped.of(raw) for raw in raws])
    assert [page.text for page in joined(once)] == [page.text for page in once]
