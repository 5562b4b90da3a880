"""The items that every tool gets: the same in every run."""

import random
from dataclasses import dataclass

# A word that only one item has.
RARE = "quixotry"
TEXT_BYTES = 500
VOCABULARY = 5_000


@dataclass(frozen=True)
class Item:
    # From 1, in the order in which they are created.
    number: int
    title: str
    text: str
    # The number of the item that has to be done first, for every second item.
    blocker: int | None


def items(count):
    """So many items; one in the middle has the rare word."""
    source = random.Random(7)
    words = ["".join(source.choices("abcdefghijklmnoprstuvw", k=source.randint(3, 9)))
             for _ in range(VOCABULARY)]
    return [_item(source, words, number, count) for number in range(1, count + 1)]


def rare_number(count):
    """The number of the item with the rare word: in the middle, and without a blocker."""
    return count // 4 * 2 + 1


def _item(source, words, number, count):
    text = RARE if number == rare_number(count) else ""
    while len(text) < TEXT_BYTES:
        text += " " + source.choice(words)
    title = f"Item {number} {source.choice(words)} {source.choice(words)}"
    blocker = number - 1 if number % 2 == 0 else None
    return Item(number, title, text.strip()[:TEXT_BYTES], blocker)
