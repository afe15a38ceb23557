"""The sentences marked by hand in the shared corpus: the committed form. tests/corpus measures against them."""

from marked_sentences import HELD_OUT, MARKS, passages


def test_the_marks_are_numbers_and_hashes() -> None:
    marked = passages()
    sentences = {language: 0 for language in ("en", "zh")}
    for passage in [*marked, *passages(HELD_OUT)]:
        ends = [unit.end for unit in passage.units]
        assert ends == sorted(set(ends)) and ends[0] > 0
        assert all(0 < place < ends[-1] for unit in passage.units for place in (*unit.limbs, *unit.free))
        assert len(passage.window) == len(passage.text_hash) == 32 and len(passage.sha256) == 64
    for passage in marked:
        sentences[passage.language] += sum(unit.kind == "sentence" for unit in passage.units)
    assert sentences["en"] >= 200 and sentences["zh"] >= 100
    # The words in the file are its keys, the names of corpus files, kinds and tags: nothing of a contract.
    assert all(word.isascii() for word in MARKS.read_text(encoding="utf-8").split('"'))
