"""Collections made from a seed: which pages answer a question is known from how they were made, not from a scorer.

Every page has a subject, a question is made of words of a subject, and all pages of the subject answer it.
What differs between collections is how long pages are and what their titles are like.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import accumulate

from lycosa.lab.cranfield import Abstract, Collection

PAGES, SUBJECTS, WORDS_OF_SUBJECT, VOCABULARY = 300, 20, 12, 5_000
LENGTHS = {40: (0.4, 0.10), 150: (0.6, 0.10), 600: (0.9, 0.04)}
"""How much lengths of a mean vary, and the share of a page's words that are its subject's."""
TITLES = ("good", "none", "same", "noisy", "stuffed")


class _Maker:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.words = self._vocabulary()
        self._weights = list(accumulate(1 / (rank + 5) for rank in range(VOCABULARY)))
        ranks = [int(20 * (VOCABULARY / 20) ** self.chance.random()) for _ in range(SUBJECTS * WORDS_OF_SUBJECT)]
        drawn = [self.words[rank] for rank in ranks]
        self.subjects = [drawn[first::SUBJECTS] for first in range(SUBJECTS)]

    def _vocabulary(self) -> list[str]:
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            letters = (self.chance.choice("bdfgklmnprtvz") + self.chance.choice("aiou") for _ in range(4))
            made["".join(letters) + "k"] = None
        return list(made)

    def ordinary(self, number: int) -> list[str]:
        return self.chance.choices(self.words, cum_weights=self._weights, k=number)

    def any_subjects(self, number: int) -> list[str]:
        return [self.chance.choice(self.chance.choice(self.subjects)) for _ in range(number)]

    def text(self, subject: int, length: int, in_row: float) -> list[str]:
        """Words of the subject, of another one and ordinary ones; `in_row` is how often its own come in pairs."""
        spread, share = LENGTHS[length]
        own, other = self.subjects[subject], self.chance.choice(self.subjects)
        mine = share * self.chance.uniform(0.3, 1.7)
        wanted = max(8, int(length * self.chance.lognormvariate(0, spread)))
        made: list[str] = []
        while len(made) < wanted:
            drawn, place = self.chance.random(), self.chance.randrange(WORDS_OF_SUBJECT)
            if drawn < mine:
                made += [own[place], own[place - 1]] if self.chance.random() < in_row else [own[place]]
            else:
                made += [other[place]] if drawn < 1.3 * mine else self.ordinary(1)
        return made

    def title(self, kind: str, subject: int) -> list[str]:
        habits: dict[str, Callable[[], list[str]]] = {
            "good": lambda: self.chance.sample(self.subjects[subject], 3) + self.ordinary(1),
            "none": list,
            "same": lambda: self.words[100:104],
            "noisy": lambda: self.ordinary(6) + self.any_subjects(2),
            "stuffed": lambda: self.any_subjects(30),
        }
        return habits[kind]()

    def question(self, subject: int, in_row: float) -> list[str]:
        own, number = self.subjects[subject], self.chance.randint(2, 5)
        if self.chance.random() >= in_row:
            return self.chance.sample(own, number)
        last = self.chance.randrange(WORDS_OF_SUBJECT)
        return [own[last - step] for step in range(number)]


def made_collection(seed: int, titles: str, length: int, in_row: float = 0.15) -> Collection:
    """A collection whose titles are of one kind."""
    maker = _Maker(seed)
    subjects = [maker.chance.randrange(SUBJECTS) for _ in range(PAGES)]
    documents = {
        str(number): Abstract(_line(maker.title(titles, subject)), _line(maker.text(subject, length, in_row)))
        for number, subject in enumerate(subjects)
    }
    asked = [subject for subject in range(SUBJECTS) if subject in subjects for _ in range(4)]
    queries = {str(number): _line(maker.question(subject, in_row)) for number, subject in enumerate(asked)}
    answers = {
        str(number): frozenset(str(page) for page, own in enumerate(subjects) if own == subject)
        for number, subject in enumerate(asked)
    }
    return Collection(f"{titles} titles, {length} words", documents, queries, answers)


def _line(words: Sequence[str]) -> str:
    return " ".join(words)
