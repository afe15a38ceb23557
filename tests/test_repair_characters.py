import pytest

from conspectus.repair.characters import repair_characters
from conspectus.repair.map import Mapped


def repaired(text: str) -> str:
    return repair_characters(Mapped.of(text)).text


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        ("The ofﬁce of the deﬁnition, aﬄuent", "The office of the definition, affluent"),
        ("⼈⺠法院⻓", "人民法院长"),
        ("\0第\0一\0条", "第一条"),
        ("\0A\0c\0t", "Act"),
        ("The of\0ce of the", "The of\ufffdce of the"),
        ("of\ue000ce", "of\ufffdce"),
        ("\uf0b7 an item", "• an item"),
        ("con\u200btract\ufeff", "contract"),
        ("\u202enot reversed\u202c", "not reversed"),
        ("contrac\u00adtual obliga\u00ad\ntions", "contractual obligations"),
        ("obliga\u00ad\r\ntions", "obligations"),
        ("end\u00ad\n(a) next", "end\n(a) next"),
        ("EXHIBIT\u00a010.3\u2003x", "EXHIBIT 10.3 x"),
        ("第一条　为了", "第一条　为了"),
        ("a\r\nb\rc\vd\fe\u2028f\x85g", "a\nb\nc\nd\ne\nf\ng"),
        ("caf\u0065\u0301", "café"),
        ("か\u3099", "が"),
        ("\u1112\u1161\u11ab", "한"),
        ("rent\u037e and 5 \u212a, 3 \u2126", "rent; and 5 K, 3 Ω"),
        ("\uf96e\uf92c", "葉郎"),
    ],
)
def test_repairs(raw: str, right: str) -> None:
    assert repaired(raw) == right


@pytest.mark.parametrize(
    "text", ["葛\U000e0100城", "👩\u200d💻 paid", "می\u200cخواهم", "𠮷野家", "Tıtle 17", "a\tb", "①②"]
)
def test_leaves_alone(text: str) -> None:
    assert repair_characters(Mapped.of(text)) == Mapped.of(text)


def test_map_of_a_ligature() -> None:
    assert repair_characters(Mapped.of("aﬁb")).origin == (0, 1, 1, 2)
