"""What stands in the slots of a template: noun phrases and persons, with the words that agree with them."""

from drretail.querygen.phrases import Phrase

_IRREGULAR = {"are": "is", "have": "has", "do": "does", "were": "was", "ones": "one", "go": "goes"}
_BASIC_PRONOUNS = {"it": ("it", "they"), "them": ("it", "them")}
_PERSONS = {
    "she": ("she", "her", "her"),
    "he": ("he", "him", "his"),
    "they": ("they", "them", "their"),
}
_WOMEN = frozenset(
    {
        *("sister", "younger sister", "cousin", "aunt", "mother", "mother-in-law", "grandmother", "niece"),
        *("goddaughter", "best friend"),
    }
)
_MEN = frozenset(
    {
        *("brother", "younger brother", "uncle", "father", "father-in-law", "grandfather", "nephew", "godson"),
    }
)


class Said:
    """A noun phrase: plain its name, with a format such as ``quieter`` "a quieter humidifier", with words that agree.

    ``.a`` is "a humidifier"; ``.it``, ``.them`` and ``.ones`` are pronouns, every other attribute is a verb in the
    plural, given in the phrase's number: ``.are``, ``.have``, ``.look``.
    """

    def __init__(self, phrase: Phrase) -> None:
        self._phrase = phrase

    def __format__(self, adjective: str) -> str:
        if not adjective:
            return self._phrase.text
        if adjective == "another":
            return f"{'other' if self._phrase.plural else 'another'} {self._phrase.text}"
        return self._phrase.another(adjective)

    def __getattr__(self, word: str) -> str:
        if word.startswith("_"):  # asked for by copy and pickle
            raise AttributeError(word)
        if word == "a":
            return self._phrase.some
        if word in _BASIC_PRONOUNS:
            return _BASIC_PRONOUNS[word][self._phrase.plural]
        return word if self._phrase.plural else _IRREGULAR.get(word, f"{word}s")


class Person:
    """Somebody: plain the word for them, with ``.she``, ``.her`` and ``.his`` in their pronouns."""

    def __init__(self, word: str) -> None:
        self._word = word
        kind = "she" if word in _WOMEN else "he" if word in _MEN else "they"
        self.she, self.her, self.his = _PERSONS[kind]

    def __format__(self, _: str) -> str:
        return self._word
