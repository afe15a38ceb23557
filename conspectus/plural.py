"""A count with its word, right for one: "1 page", "2 pages"."""


def many(count: int, one: str, others: str = "") -> str:
    """A count with its word: "1 model call", "2 model calls"; `others` where that is not the word with an s."""
    return f"{count:,} {one if count == 1 else others or f'{one}s'}"


class Count(int):
    """A count for sentences in a table of words: "{count:page}", "{count:page is|pages are}", or a format of int."""

    def __format__(self, form: str) -> str:
        """As `many` where the format is a word, else as int does."""
        if len(form) < 2 or not form[0].isalpha():
            return super().__format__(form)
        one, _, others = form.partition("|")
        return many(self, one, others)
