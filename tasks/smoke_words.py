"""The small facts of the smoke exam: what anybody knows, written down here."""

from collections.abc import Mapping

CAPITALS: Mapping[str, str] = {
    "France": "Paris",
    "Italy": "Rome",
    "Spain": "Madrid",
    "Germany": "Berlin",
    "Japan": "Tokyo",
    "China": "Beijing",
    "Russia": "Moscow",
    "Egypt": "Cairo",
    "Greece": "Athens",
    "Portugal": "Lisbon",
    "Austria": "Vienna",
    "Poland": "Warsaw",
    "Canada": "Ottawa",
    "Cuba": "Havana",
    "Peru": "Lima",
    "Kenya": "Nairobi",
    "Norway": "Oslo",
    "Sweden": "Stockholm",
    "Ireland": "Dublin",
    "Hungary": "Budapest",
}
KINDS: Mapping[str, tuple[str, ...]] = {
    "an animal": ("horse", "rabbit", "tiger", "sheep", "monkey"),
    "a fruit": ("apple", "banana", "cherry", "grape", "lemon"),
    "a colour": ("blue", "green", "purple", "yellow", "orange"),
    "a musical instrument": ("piano", "violin", "trumpet", "guitar", "flute"),
    "a tool": ("hammer", "saw", "drill", "wrench", "screwdriver"),
    "a piece of clothing": ("shirt", "coat", "scarf", "sock", "glove"),
}
# fmt: off
WORDS = (
    "maple", "river", "stone", "candle", "window", "garden", "pencil", "silver", "basket", "mountain",
    "pocket", "bridge", "ladder", "blanket", "market", "button", "island", "feather", "kettle", "harbor",
)
# fmt: on
