"""Documents made from text, without a PDF."""

from conspectus.document import Document, Language, Page, PageStatus, Source
from conspectus.evidence.source import to_source
from conspectus.text import language_of


def document(*pages: str, language: Language | None = None, name: str = "test.pdf") -> Document:
    """A document with these pages."""
    made: list[Page] = []
    offset = 0
    for index, text in enumerate(pages):
        made.append(Page(index, str(index + 1), PageStatus.TEXT, text, offset))
        offset += len(text) + 1
    whole = "\n".join(pages)
    return Document(name, "0" * 64, language or language_of(whole), whole, tuple(made), pages[0].split("\n")[0])


def source(*pages: str, language: Language | None = None) -> Source:
    """A document with its clauses and sentences."""
    return to_source(document(*pages, language=language))


LEASE = """LEASE
between Northgate Estates Limited (the "Landlord") and Mill Lane Bakery Limited (the "Tenant")
1. TERM
1.1 The term is ten (10) years from 1 March 2027.
1.2 The Tenant may end this Lease on 1 March 2032 by not less than six (6) months' written notice, unless rent
is unpaid.
2. RENT
2.1 The Tenant shall pay the Landlord a yearly rent of £48,000 in four equal instalments.
2.2 The Tenant shall not withhold rent, except where the law requires it.
2.3 The Landlord must repay any rent paid in advance within thirty (30) days.
3. USE
3.1 The Tenant shall use the Property only as a bakery.
3.2 The Tenant must not store petrol at the Property.
3.3 The air in the high street is pleasant in spring.
"""

ACT = """数据交易管理条例
第一章　总则
第一条　为了规范数据交易，制定本条例。
第二条　交易场所应当自交易完成之日起三十日内备案。
第三条　任何单位不得伪造交易记录，但是法律另有规定的除外。
第二章　罚则
第四条　违反本条例第三条规定的，处五万元以上五十万元以下罚款。
第五条　本条例自2027年3月1日起施行。
"""
