import pytest

from conspectus.repair.title import find_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Exhibit 10.17\nEXECUTION COPY\nMEDIA LICENSE AGREEMENT\nThis Agreement is made", "MEDIA LICENSE AGREEMENT"),
        ("LEASE\nof\nUnits 3 and 4, Calder Works\nDated 14 March 2025", "LEASE of Units 3 and 4, Calder Works"),
        ("SERVICE AGREEMENT\nFOR\nTRANSFER AGENT SERVICES\nbetween\nA INC.",
         "SERVICE AGREEMENT FOR TRANSFER AGENT SERVICES"),
        ("DELIVERY ROBOTS\n(PUBLIC FOOTWAYS)\nREGULATIONS 2026\nMade on",
         "DELIVERY ROBOTS (PUBLIC FOOTWAYS) REGULATIONS 2026"),
        ("ACME\nPage 1 of 9\nThe Tenant shall pay under this Lease.\nShort Form Lease", "Short Form Lease"),
        ("来源：新华网\n中华人民共和国民法典\n目 录", "中华人民共和国民法典"),
        ("合同编号：12\n房屋租赁合同（示范文本）\n甲方：", "房屋租赁合同（示范文本）"),
        ("1\nquite some words", "quite some words"),
        ("12\n\n-", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_title(text: str, title: str) -> None:
    assert find_title(text) == title


def test_a_long_title_is_cut_between_words() -> None:
    title = find_title("AGREEMENT ON " + "VERY LONG WORDS " * 7)
    assert len(title) <= 100
    assert title.endswith(" VERY…")


@pytest.mark.parametrize("line", ["# 数据安全法", "**数据安全法**", "## 数据安全法", "数据安全法"])
def test_the_marks_of_a_markdown_heading_are_no_part_of_the_title(line: str) -> None:
    assert find_title(f"{line}\n\n第一条　为了规范数据处理活动，制定本法。\n") == "数据安全法"
