"""Notifications: what is sent, to a receiver on this machine; what is never shown."""

import logging

import pytest
from receivers import SECRET, receiver

from conspectus.errors import ExitCode, UsageError
from conspectus.nightly.notify import URLS, Notice, check_addresses, send


def everything_logged(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    return caplog.text + captured.out + captured.err


def test_the_summary_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as (url, got), receiver() as (other, also):
        monkeypatch.setenv(URLS, f" {url}\n{other} ")
        check_addresses()
        assert send(Notice(ExitCode.PARTIAL, "12 done, 1 partial, 2 unreadable, 285 unchanged")) == []
    assert got[0]["message"] == "12 done, 1 partial, 2 unreadable, 285 unchanged"
    assert "need a look" in got[0]["title"] and got[0]["type"] == "warning"
    assert also[0]["message"] == got[0]["message"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [(ExitCode.OK, "success"), (ExitCode.PARTIAL, "warning"), (ExitCode.INTERRUPTED, "warning"),
     (ExitCode.MODEL, "failure"), (ExitCode.UNEXPECTED, "failure")],
)  # fmt: skip
def test_each_end_has_its_kind(code: ExitCode, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as (url, got):
        monkeypatch.setenv(URLS, url)
        send(Notice(code, "x"))
    assert got[0]["type"] == kind


def test_an_address_is_never_logged_nor_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    for name in ("apprise", "urllib3", "urllib3.connectionpool", "requests"):
        monkeypatch.setattr(logging.getLogger(name), "level", 1)
    with receiver(500) as (url, got):
        monkeypatch.setenv(
            URLS, f"{url} slack://{SECRET} json://127.0.0.1:9/{SECRET} mailto://user:{SECRET}@127.0.0.1:9"
        )
        said = send(Notice(ExitCode.OK, "all done"))
        with pytest.raises(UsageError) as error:
            check_addresses()
    assert len(got) == 1
    assert [line.partition(")")[0] for line in said] == [
        "notification 1 (json", "notification 2 (slack", "notification 3 (json", "notification 4 (mailto"
    ]  # fmt: skip
    assert "address 2" in error.value.message
    assert SECRET not in everything_logged(caplog, capsys) + "".join(said) + error.value.line()
    assert not logging.getLogger("apprise").disabled


def test_no_address_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URLS, raising=False)
    check_addresses()
    assert send(Notice(ExitCode.OK, "all done")) == []


def test_names_are_one_line_each_and_few() -> None:
    hostile = ("a\nb.pdf", "\u202eexe.pdf", "合同 第一.pdf", "torn\udcff.pdf", "<script>.pdf")
    lines = Notice(ExitCode.OK, "5 done", hostile).body.split("\n")
    assert lines == ["5 done", "a?b.pdf", "?exe.pdf", "合同 第一.pdf", "torn?.pdf", "<script>.pdf"]
    many = Notice(ExitCode.OK, "300 done", tuple(f"{n}.pdf" for n in range(300))).body.split("\n")
    assert len(many) == 22 and many[-1] == "and 280 more"
