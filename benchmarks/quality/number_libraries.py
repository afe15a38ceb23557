"""Number libraries against our own reader on forms from contracts: `python benchmarks/quality/number_libraries.py`.

Each form has the value that a reader must find. A library is asked only for what it is made for; "wrong" is a value
that is not the right one, which for a checker is worse than none. Needs text2num, cn2an, price-parser, dateparser.
"""

import contextlib
import time
import warnings
from collections.abc import Callable

from conspectus.check.salient import salient

Form = tuple[str, str]
ENGLISH: list[Form] = [
    ("one hundred and twenty thousand", "120000"),
    ("twenty-five", "25"),
    ("two and a half", "2.5"),
    ("Seventy-Five Thousand", "75000"),
    ("one million two hundred thousand", "1200000"),
    ("ninety", "90"),
    ("four thousand two hundred", "4200"),
    ("a hundred and one", "101"),
    ("three hundred sixty-five", "365"),
    ("twelve", "12"),
]
CHINESE: list[Form] = [
    ("三十", "30"),
    ("一千二百六十", "1260"),
    ("五万", "50000"),
    ("三亿二千五百万", "325000000"),
    ("二〇二六", "2026"),
    ("一百零三", "103"),
    ("十五", "15"),
    ("壹佰贰拾万", "1200000"),
    ("两千", "2000"),
    ("二十万零五百", "200500"),
]
MONEY: list[Form] = [
    ("£48,000", "48000 GBP"),
    ("US$4,250,000", "4250000 USD"),
    ("€1.250.000,00", "1250000 EUR"),
    ("$1.5 million", "1500000 USD"),
    ("8 000 000 EUR", "8000000 EUR"),
    ("人民币五万元", "50000 CNY"),
    ("$75,000.00", "75000 USD"),
    ("30,000 Canadian dollars", "30000 CAD"),
    ("GBP 1,250", "1250 GBP"),
    ("$3.95M", "3950000 USD"),
]
DATES: list[Form] = [
    ("1 March 2027", "2027-03-01"),
    ("March 1, 2027", "2027-03-01"),
    ("the 1st day of February, 2026", "2026-02-01"),
    ("31.12.2026", "2026-12-31"),
    ("2027-03-01", "2027-03-01"),
    ("2027年3月1日", "2027-03-01"),
    ("二〇二六年十二月三十一日", "2026-12-31"),
    ("30 Sept 2029", "2029-09-30"),
    ("clause 3.2", ""),
    ("may end in March", ""),
]


def ours(text: str, kinds: tuple[str, ...]) -> str:
    """The value of the first token of one of the kinds."""
    values = [token.value for token in salient(text) if token.kind in kinds]
    return values[0] if values else ""


def by_text2num(text: str) -> str:
    """The value by text2num."""
    from text_to_num import text2num

    return str(text2num(text.lower(), "en"))


def by_cn2an(text: str) -> str:
    """The value by cn2an."""
    import cn2an

    return str(cn2an.cn2an(text, "smart"))


def by_price_parser(text: str) -> str:
    """Amount and currency by price-parser."""
    from price_parser import Price

    price = Price.fromstring(text)
    signs = {"£": "GBP", "US$": "USD", "$": "USD", "€": "EUR", "元": "CNY"}
    amount = "" if price.amount is None else format(price.amount.normalize(), "f")
    return f"{amount} {signs.get(price.currency or '', price.currency or '')}" if amount else ""


def by_dateparser(text: str) -> str:
    """The date by dateparser, strict, day first."""
    import dateparser

    found = dateparser.parse(text, languages=["en", "zh"], settings={"STRICT_PARSING": True, "DATE_ORDER": "DMY"})
    return found.date().isoformat() if found else ""


def score(forms: list[Form], reader: Callable[[str], str]) -> tuple[int, int, float]:
    """(right, wrong, microseconds a form) of a reader."""
    right = wrong = 0
    start = time.perf_counter()
    for text, value in forms:
        found = ""
        with contextlib.suppress(Exception):
            found = reader(text)
        right += found == value
        wrong += found not in ("", value)
    return right, wrong, (time.perf_counter() - start) / len(forms) * 1e6


def main() -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    pairs: list[tuple[str, list[Form], str, Callable[[str], str], tuple[str, ...]]] = [
        ("English words", ENGLISH, "text2num", by_text2num, ("number",)),
        ("Chinese numerals", CHINESE, "cn2an", by_cn2an, ("number",)),
        ("money", MONEY, "price-parser", by_price_parser, ("money",)),
        ("dates", DATES, "dateparser", by_dateparser, ("date",)),
    ]
    print("| forms | reader | right | wrong | of | µs a form |\n|---|---|---|---|---|---|")
    for name, forms, library, reader, kinds in pairs:

        def own(text: str, kinds: tuple[str, ...] = kinds) -> str:
            return ours(text, kinds)

        for who, read in ((library, reader), ("conspectus.check.salient", own)):
            try:
                read("1")
            except ModuleNotFoundError:
                print(f"| {name} | {who} is not installed | | | | |")
                continue
            except Exception:
                pass
            right, wrong, cost = score(
                [(f"{text} ", value) if who != library else (text, value) for text, value in forms], read
            )
            print(f"| {name} | {who} | {right} | {wrong} | {len(forms)} | {cost:.0f} |")


if __name__ == "__main__":
    main()
