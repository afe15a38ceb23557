"""One page is no "1 pages"."""

import pytest

from conspectus.document import Language
from conspectus.plural import Count, many
from conspectus.render.words import WORDS


def test_a_count_with_its_word() -> None:
    assert many(1, "page") == "1 page" and many(0, "page") == "0 pages" and many(2100, "page") == "2,100 pages"
    assert many(1, "duty", "duties") == "1 duty" and many(2, "duty", "duties") == "2 duties"


def test_a_count_in_a_sentence_of_a_table() -> None:
    sentence = "{count:page was|pages were} read of {all:page}, {count} and {all:,} in figures"
    assert sentence.format(count=Count(1), all=Count(1)) == "1 page was read of 1 page, 1 and 1 in figures"
    assert sentence.format(count=Count(2), all=Count(2500)) == (
        "2 pages were read of 2,500 pages, 2 and 2,500 in figures"
    )
    assert f"{Count(7):d} {Count(7):03}" == "7 007"


@pytest.mark.parametrize("language", Language)
def test_the_search_box_knows_one_line(language: Language) -> None:
    words = WORDS[language]
    assert words["found_one"] == words["found"].format(count=1).replace("1 lines", "1 line")
