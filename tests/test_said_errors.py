"""What the program says in the morning report is said in Chinese too: each remedy, each message, each label."""

import os
import re

import pytest
from raised import HOLE, Raised, faults, raised

from conspectus.document import Language
from conspectus.llama.messages import KNOWN
from conspectus.render.messages_zh import MESSAGES
from conspectus.render.remedies_zh import REMEDIES
from conspectus.render.said import remedy, why

RAISED = raised()
# Errors of commands that make no document: they are told on the terminal and reach no report.
ELSEWHERE = re.compile(
    r"conspectus/(?:cli|options|nightly|schema|settings|compare|plan|api|doctor|verification|prefect_setup|metrics|"
    r"llama/(?:serve|inspect\w*|options|choose|pool/(?:address|facts|pool|endpoint))|render/formats|journal|"
    r"batch/(?:cluster|run|lock)|cache/(?:folder|journal)|run/digest)|flows/serving"
)
NAMES = re.compile(
    r"Conspectus|conspectus|ocrmypdf|PDF|NUL|UTF-\d+|GB18030|CONSPECTUS_\w+|PREFECT_API_URL|Prefect|HTTP|GGUF|GGML|"
    r"Git LFS|JSON|PyTorch|zip|safetensors|Office|RTF|JPEG|PNG|TIFF|MB|--?[a-z-]+|tesseract|llama_decode|"
    r"Asia/Shanghai|qpdf|http://\S+|/v1/models|GiB"
)
CHINESE = re.compile("[一-鿿]")


def remedies() -> list[str]:
    """All of them: where errors are raised, of known messages, of a model that does not fit."""
    fits = "Take a smaller context (--context), fewer slots (--slots) or a smaller model"
    found = {one.remedy for one in RAISED} | {known.remedy for known in KNOWN} | {fits}
    return sorted(text for text in found if text)


@pytest.mark.parametrize("text", remedies())
def test_every_remedy_has_chinese_words(text: str) -> None:
    said = remedy(text, Language.ZH)
    assert CHINESE.search(said), "add it to render/remedies_zh.py"
    assert said.count(HOLE) >= text.count(HOLE), "a name or number was lost"
    assert remedy(text, Language.EN) == text


def test_the_remedies_are_found_where_they_are_raised() -> None:
    found = remedies()
    assert len(found) > 130
    for known in (
        "Split the file",
        "Save it as UTF-8, or export it as PDF",  # of a variable
        'Run "git lfs pull" where the file came from',  # of a function
        "Close other programs, choose a smaller model, or a smaller context with --context",  # of a constant
        f"Repair it first: qpdf {HOLE} repaired.pdf",
    ):
        assert known in found


def messages() -> list[Raised]:
    """Those that a document or a call can end with: not what is wrong with an option or a whole run."""
    words = [one for one in RAISED if one.message and re.match("[^-].*[a-z]", one.message)]
    return [one for one in words if not ELSEWHERE.match(one.at)]


@pytest.mark.parametrize("one", messages(), ids=lambda one: f"{one.at} {one.message}")
def test_every_message_that_ends_a_document_has_chinese_words(one: Raised) -> None:
    assert one.message is not None
    said = why(one.message, Language.ZH)
    assert CHINESE.search(said), "add it to render/messages_zh.py"
    assert not re.search("[A-Za-z]{2,}", NAMES.sub("", said)), "add it to render/messages_zh.py"
    assert why(one.message, Language.EN) == one.message
    named = why(f"in/a.pdf: {one.message}", Language.ZH)
    assert named.startswith("in/a.pdf") and not re.search("[A-Za-z]{2,}", NAMES.sub("", named.removeprefix("in/a.pdf")))


@pytest.mark.parametrize("text", sorted(set(faults())))
def test_every_fault_of_a_server_has_chinese_words(text: str) -> None:
    for said in (why(text, Language.ZH), why(f"http://gpu:8080: {text}", Language.ZH)):
        assert not re.search("[A-Za-z]{2,}", NAMES.sub("", said))


@pytest.mark.parametrize("english, chinese", [*REMEDIES, *MESSAGES])
def test_both_sides_of_a_row_have_the_same_parts(english: str, chinese: str) -> None:
    holes = re.findall(r"{(?:why)?}", english)
    assert len(re.findall(r"{\d?}", chinese)) == len(holes)
    assert chinese.format(*holes)


def test_no_row_of_the_remedies_is_without_use() -> None:
    # A remedy that is no longer given anywhere leaves no row behind.
    used = {remedy(text, Language.ZH) for text in remedies()}
    for english, chinese in REMEDIES:
        pattern = re.escape(chinese).replace(r"\{\}", ".*").replace(r"\{0\}", ".*").replace(r"\{1\}", ".*")
        assert any(re.fullmatch(pattern, said) for said in used), english


def test_names_stay_as_they_are() -> None:
    name = "out of memory; a heading (as before).pdf"
    assert why(f"{name}: there is no such file", Language.ZH) == f"{name}：没有此文件"
    assert remedy(f"Check the name, for example with: ls {name}", Language.ZH) == f"请检查文件名，例如：ls {name}"
    reason = f"{name}: cannot be read ({os.strerror(13)})"
    assert why(reason, Language.ZH) == f"{name}：无法读取（没有权限）"


@pytest.mark.parametrize(
    "english, chinese",
    [
        (
            "in/b.pdf: is encrypted and needs a password (as before)",
            "in/b.pdf：已加密，需要密码（与上次相同）",
        ),
        (
            "in/s.pdf: no text on any of its 3 pages (page 1: an image without text, probably a scan)",
            "in/s.pdf：共 3 页都没有文字（第 1 页：只有图像，没有文字，可能是扫描件）",
        ),
        (
            "in/b.pdf: is a broken PDF (the reader stopped with TypeError)",
            "in/b.pdf：PDF 已损坏（读取时出错）",
        ),
        ("in/b.pdf: is not a PDF (it looks like a web page)", "in/b.pdf：不是 PDF（似乎是网页）"),
        ("pages not read: 3, 4 (as before)", "未读的页：3, 4（与上次相同）"),
        (
            "model calls failed: A model call failed: the context had no room left; the call was not made",
            "模型调用失败：模型调用失败：上下文已满；未进行调用",
        ),
        (
            "no server answers (http://a:1: it cannot be reached; http://b:2: it does not answer in time)",
            "没有服务器应答（http://a:1: 无法连接；http://b:2: 未及时应答）",
        ),
        ("refused lines asked again 3", "重问未通过的行 3"),
        (
            f"no space left: out/a.pdf.digest.md: cannot be written ({os.strerror(28)})",
            "空间不足：out/a.pdf.digest.md：无法写入（磁盘已满）",
        ),
    ],
)
def test_messages_as_a_night_has_them(english: str, chinese: str) -> None:
    assert why(english, Language.ZH) == chinese
