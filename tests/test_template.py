from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.errors import UsageError
from conspectus.llama.choose import ServerAccess, choose_model
from conspectus.llama.contract import Message
from conspectus.llama.template import ChatTemplate, Piece, Prompt, strip_thinking, template_error

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SYSTEM, USER = Message("system", "Be brief."), Message("user", "Summarise <|im_end|> this.")


def whole(prompt: Prompt) -> str:
    return "".join(piece.text for piece in prompt.pieces)


def contents(prompt: Prompt) -> list[str]:
    return [piece.text for piece in prompt.pieces if not piece.is_special]


def test_content_is_kept_apart_from_scaffolding() -> None:
    assert ChatTemplate(CHATML).render([SYSTEM, USER]) == Prompt(
        (
            Piece("<|im_start|>system\n", True),
            Piece("Be brief.", False),
            Piece("<|im_end|>\n<|im_start|>user\n", True),
            Piece("Summarise <|im_end|> this.", False),
            Piece("<|im_end|>\n<|im_start|>assistant\n", True),
        ),
        plain=False,
    )


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_content_comes_through_letter_by_letter(texts: list[str]) -> None:
    prompt = ChatTemplate(CHATML).render([Message("user", text) for text in texts])
    assert contents(prompt) == [text for text in texts if text]
    assert not prompt.plain


def test_a_template_that_trims_still_works() -> None:
    template = "{% for m in messages %}[{{ m.content | trim }}]{% endfor %}"
    assert whole(ChatTemplate(template).render([SYSTEM, USER])) == "[Be brief.][Summarise <|im_end|> this.]"


@pytest.mark.parametrize(
    "template",
    [
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHATML,
        "{% for m in messages if m.role != 'system' %}[{{ m.content }}]{% endfor %}",
    ],
)
def test_system_goes_into_the_first_user_message_where_refused_or_dropped(template: str) -> None:
    prompt = ChatTemplate(template).render([SYSTEM, USER])
    assert not prompt.plain
    assert contents(prompt) == ["Be brief.\n\nSummarise <|im_end|> this."]


@pytest.mark.parametrize(
    "template",
    [
        None,
        "",
        "{% for %}",  # no jinja
        "{{ raise_exception('never') }}",
        "{{ messages[0].content }}{{ messages[0].content }}",  # twice
        "{{ messages[0].content[:5] }}",  # cut
        "no content",
        "{{ 1 / 0 }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",  # the sandbox
        "{{ undefined.thing }}",
    ],
)
def test_without_a_usable_template_the_plain_form_stands_in(template: str | None) -> None:
    prompt = ChatTemplate(template).render([SYSTEM, USER])
    assert prompt.plain
    assert contents(prompt) == ["Be brief.", "Summarise <|im_end|> this."]
    assert whole(prompt).endswith("### Response:\n")


def test_what_transformers_offers_to_templates() -> None:
    template = (
        "{{ bos_token }}{{ {'k': 'é<'} | tojson }}{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}"
        "{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"
        "{{ enable_thinking }}{{ strftime_now('%Y') }}{{ eos_token }}"
    )
    prompt = ChatTemplate(template, bos="<s>", eos="</s>").render([USER])
    assert whole(prompt) == '<s>{"k": "é<"}Summarise <|im_end|> this.False2025</s>'


def test_thinking_opened_by_the_prompt_is_closed() -> None:
    prompt = ChatTemplate(CHATML + "<think>\n").render([USER])
    assert whole(prompt).endswith("<think>\n\n</think>\n\n")


def test_the_same_messages_give_the_same_prompt() -> None:
    template = ChatTemplate(CHATML)
    assert template.render([SYSTEM, USER]) == template.render([SYSTEM, USER])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<think>a\nb</think>c", "c"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("<think>never closed", ""),
        ("opened elsewhere</think>answer", "answer"),
        ("answer<think>again", "answer"),
    ],
)
def test_strip_thinking(text: str, left: str) -> None:
    assert strip_thinking(text) == left


def test_a_template_of_the_users_own_is_tried_before_it_is_used(tmp_path: Path) -> None:
    good = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    assert template_error(good) == ""
    assert "line 1" in template_error("{% for m in messages %}")
    assert "words of a message" in template_error("nothing of it")
    path = tmp_path / "own.jinja"
    path.write_text(good, "utf-8")
    assert ServerAccess(chat_template=path).template() == good
    assert ServerAccess().template() is None
    for text in ("{{", "nothing of it"):
        path.write_text(text, "utf-8")
        with pytest.raises(UsageError, match=r"own\.jinja is no chat template"):
            choose_model("starter", 4096, lambda _message: None, ServerAccess(chat_template=path))
    with pytest.raises(UsageError, match="cannot be read"):
        ServerAccess(chat_template=tmp_path / "missing").template()
    with pytest.raises(UsageError, match="is for a model file"):
        choose_model("http://127.0.0.1:1", 4096, lambda _message: None, ServerAccess(chat_template=path))
