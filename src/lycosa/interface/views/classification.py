"""The shipped decimal classification to look around in: numbers, captions and words, without the index of words.

Reading the lines takes a moment; the index, by which texts are classified, is built when
somebody first asks for that.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from lycosa.topics.classification.scheme import ClassLine, digits_of
from lycosa.topics.classification.scheme_file import read_classes


@cache
def class_lines() -> dict[str, ClassLine]:
    """All classes by the digits of their numbers, in their order."""
    folder = files("lycosa").joinpath("data/classes")
    texts = [(each.name, each.read_text("utf-8")) for each in folder.iterdir() if each.name.endswith(".tsv")]
    lines = [line for name, text in texts for line in read_classes(text, name)]
    return {line.number: line for line in sorted(lines, key=lambda line: line.number)}


def class_below(number: str) -> list[ClassLine]:
    """The classes right under a number, or the ten at the top."""
    digits = digits_of(number)
    return [line for line in class_lines().values() if len(line.number) == len(digits) + 1
            and line.number.startswith(digits)]  # fmt: skip


def class_above(number: str) -> list[ClassLine]:
    """The classes that one lies in, the widest first."""
    digits = digits_of(number)
    found = (class_lines().get(digits[:size]) for size in range(1, len(digits)))
    return [line for line in found if line is not None]


def caption_of(number: str) -> str:
    """What a class is about, or the nearest one that it lies in; '' where nobody knows."""
    digits = digits_of(number)
    while digits and digits not in class_lines():
        digits = digits[:-1]
    return class_lines()[digits].caption if digits else ""
