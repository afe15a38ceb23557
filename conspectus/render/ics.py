"""The days that a document names, for a calendar: one all-day event each. What hangs on an event is left out.

RFC 5545; `DTSTAMP`, which it demands, is fixed, so that the same digest gives the same bytes. An event's UID is made
of the document, the day and the words: a second import changes nothing.
"""

import hashlib
import re
from datetime import date, timedelta

from conspectus.document import Digest, TermKind
from conspectus.render.brief import view_of
from conspectus.render.files import FIXED, need
from conspectus.render.safe import one_line
from conspectus.render.sheets import page_link
from conspectus.render.view import PartName, Row

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
KINDS = (TermKind.DATE, TermKind.COMMENCEMENT, TermKind.REPEAL)


def _day(row: Row) -> date | None:
    """The row's day; None for periods and for days that no calendar has."""
    match = _DAY.fullmatch(row.cells[1])
    if not match:
        return None
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return None
    return day if day < date.max else None


def render_ics(digest: Digest, link: str = "") -> bytes:
    """An .ics; empty of events where no day is named. Raises UsageError without the extra `export`."""
    library = need("ics")
    view = view_of(digest)
    calendar = library.Calendar()
    calendar.add("prodid", "-//Conspectus//Digest//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", one_line(view.title))
    known: set[str] = set()
    for row in (row for part in view.parts if part.name is PartName.DATES and part.table for row in part.table.rows):
        day, cite = _day(row), row.cite
        if day is None or cite is None:
            continue
        kind, _, words, what, _ = map(one_line, row.cells)
        own = "\x1f".join((digest.document.sha256, day.isoformat(), cite.clause_id, words, what))
        uid = f"{hashlib.sha256(own.encode('utf-8', 'replace')).hexdigest()[:32]}@conspectus"
        if uid in known:
            continue
        known.add(uid)
        event = library.Event()
        event.add("uid", uid)
        event.add("dtstamp", FIXED)
        event.add("dtstart", day)
        event.add("dtend", day + timedelta(days=1))
        name = one_line(digest.document.title or digest.document.name)
        event.add("summary", f"{name}: {what or words or kind}"[:250])
        place = f"{one_line(cite.clause)}, p. {one_line(cite.page_range)}"
        event.add("description", "\n".join(filter(None, (one_line(cite.quote), place, page_link(link, cite)))))
        event.add("transp", "TRANSPARENT")
        calendar.add_component(event)
    made: bytes = calendar.to_ical(sorted=True)
    return made
