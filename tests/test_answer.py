from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from conspectus.check.check import Reason
from conspectus.digesting.drafts import clean, faults
from conspectus.llama.answer import THOUGHT_ONLY, Answer, new_answer
from conspectus.llama.contract import Finish

END = 0


class Bytes:
    """A vocabulary of single bytes and a few longer tokens."""

    newline: ClassVar = [1 + ord("\n")]
    extra: ClassVar = {
        300: b"\n\n",
        301: b".\n",
        302: b"x\ny",
        303: "合".encode()[:2],
        304: "合".encode()[2:],
        305: b"<think>",
        306: b"</think>",
    }
    thought_end: ClassVar = [306, 300]

    def tokens(self, text: str) -> list[int]:
        return [1 + byte for byte in text.encode()]

    def piece(self, token: int) -> bytes:
        return self.extra.get(token) or bytes([token - 1])

    def ends(self, token: int) -> bool:
        return token == END


VOCABULARY = Bytes()


def play(answer: Answer, chosen: list[int]) -> str:
    """Lets the model choose `chosen` and returns the context that results."""
    context = answer.feed()
    for token in chosen:
        if answer.finish:
            break
        answer.accept(token)
        context += answer.feed()
    return b"".join(map(VOCABULARY.piece, context)).decode("utf-8", "replace")


def written(text: str) -> list[int]:
    return VOCABULARY.tokens(text)


def forced(*starts: str, max_tokens: int = 100, line_tokens: int = 20) -> Answer:
    return new_answer(VOCABULARY, max_tokens, starts, line_tokens)


def test_forced_lines_are_fed_and_their_text_kept_without_the_start() -> None:
    answer = forced("1: ", "2: ")
    context = play(answer, [*written(" one\n"), *written(" two\n")])
    assert context == "1: one\n2: two\n"
    assert answer.lines() == ("one", "two")
    assert answer.finish is Finish.STOP


def test_what_follows_a_line_break_in_one_token_is_dropped() -> None:
    for token in (300, 302):
        answer = forced("1:", "2:")
        context = play(answer, [*written("a"), token, *written("b\n")])
        kept = "x" if token == 302 else ""
        assert context == f"1:a{kept}\n2:b\n"
        assert answer.lines() == (f"a{kept}", "b")


def test_end_of_generation_ends_the_line_only() -> None:
    answer = forced("1:", "2:")
    assert play(answer, [*written("a"), END, *written("b"), END]) == "1:a\n2:b"
    assert (answer.lines(), answer.finish) == (("a", "b"), Finish.STOP)


def test_a_line_over_its_share_is_cut_and_the_next_one_still_asked() -> None:
    answer = forced("1:", "2:", line_tokens=3)
    play(answer, [*written("abcd"[:3]), *written("e\n")])
    assert answer.lines() == ("abc", "e")
    assert (answer.finish, answer.cut()) == (Finish.STOP, (0,))


def test_a_line_in_a_loop_is_cut_long_before_its_share() -> None:
    answer = forced("1:", "2:", max_tokens=900, line_tokens=400)
    play(answer, [*written("abcdefghijkl" * 3), *written("e\n")])
    assert answer.lines() == ("abcdefghijkl" * 3, "e")
    assert (answer.finish, answer.cut()) == (Finish.STOP, (0,))


def test_max_tokens_ends_the_whole_answer() -> None:
    answer = forced("1:", "2:", "3:", max_tokens=9)
    play(answer, written("abc\ndefghi"))
    assert answer.finish is Finish.LENGTH
    assert answer.lines() == ("abc", "d")
    assert answer.cut() == (1,)


def test_no_room_for_the_first_line() -> None:
    answer = forced("1:", max_tokens=2)
    assert (answer.finish, answer.lines()) == (Finish.LENGTH, ())


@given(st.lists(st.one_of(st.integers(0, 256), st.integers(300, 305))), st.integers(1, 40), st.integers(0, 9))
def test_the_context_never_grows_over_max_tokens(chosen: list[int], max_tokens: int, line_tokens: int) -> None:
    for starts in ((), ("1: ", "2: ", "三: ")):
        answer = new_answer(VOCABULARY, max_tokens, starts, line_tokens)
        fed = len(answer.feed())
        for token in chosen:
            if answer.finish:
                break
            answer.accept(token)
            if not answer.finish:
                fed += len(answer.feed())
                assert fed < max_tokens or answer.finish
        assert all("\n" not in line for line in answer.lines() if starts)
        assert len(answer.lines()) <= max(1, len(starts))


def test_a_free_answer_runs_to_its_end() -> None:
    answer = new_answer(VOCABULARY, 50, (), 0)
    play(answer, [*written("a\nb"), END])
    assert (answer.lines(), answer.finish, answer.used) == (("a\nb",), Finish.STOP, 4)


def test_a_character_over_two_tokens_is_joined_and_a_half_one_left_out() -> None:
    answer = new_answer(VOCABULARY, 50, (), 0)
    play(answer, [303, 304, 303, END])
    assert answer.lines() == ("合",)


def test_the_third_equal_line_is_a_loop() -> None:
    answer = new_answer(VOCABULARY, 500, (), 0)
    play(answer, written("ab\ncd\nab\nef\n ab\nmore"))
    assert answer.finish is Finish.LOOP


def test_the_third_equal_span_is_a_loop_but_a_short_row_of_dashes_is_not() -> None:
    answer = new_answer(VOCABULARY, 500, (), 0)
    play(answer, written("one two three " * 3))
    assert answer.finish is Finish.LOOP
    answer = new_answer(VOCABULARY, 500, (), 0)
    play(answer, written("-" * 30))
    assert answer.finish is None


def test_an_answer_that_was_thinking_alone_says_so_and_keeps_none_of_it() -> None:
    for chosen in ([305, *written("secret "), END], [305, *written("secret "), 306, END]):
        answer = new_answer(VOCABULARY, 100, (), 0)
        play(answer, chosen)
        assert answer.lines() == (THOUGHT_ONLY,)
    empty = new_answer(VOCABULARY, 100, (), 0)
    play(empty, [END])
    assert empty.lines() == ("",)
    line = forced("1: ", "2: ")
    play(line, [305, *written("hm\n"), *written(" two\n")])
    assert line.lines() == (THOUGHT_ONLY, "two")
    assert faults(THOUGHT_ONLY, clean(THOUGHT_ONLY), "evidence", cut=False) == [Reason.REASONING]


def test_thinking_leaves_room_for_the_answer() -> None:
    answer = new_answer(VOCABULARY, 40, (), 0)
    context = play(answer, [305, *written("abcdefghijklmnopqrstuvwxyz"[:19]), *written("The answer"), END])
    assert context == "<think>abcdefghijklmnopqrs</think>\n\nThe answer"
    assert answer.lines() == ("The answer",)
    assert answer.finish is Finish.STOP and answer.used <= 40


def test_thinking_that_ends_in_time_is_left_alone() -> None:
    answer = new_answer(VOCABULARY, 400, (), 0)
    context = play(
        answer, [305, *written("short"), 306, *written("Yes: <think> is a mark, "), *written("no thought."), END]
    )
    assert context.count("</think>") == 1 and "mark, no thought." in context


@given(st.lists(st.sampled_from([305, 306, 300, 301, *written("abc ")]), max_size=60), st.integers(1, 50))
def test_no_thinking_is_over_the_limit_or_kept(chosen: list[int], most: int) -> None:
    answer = new_answer(VOCABULARY, most, (), 0)
    play(answer, [*chosen, END])
    assert answer.used <= most
    (line,) = answer.lines()
    assert line == THOUGHT_ONLY or "<think>" not in line
