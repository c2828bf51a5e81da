"""Words, their stems, and which of them carry no meaning."""

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    """a about above after again against all also always am an and any anyone anything are around as at away back be
    because been before being below between both but by can could did do does doing don't down during each either else
    enough etc even ever every few for from further get gets getting give given go goes going had has have having he
    help her here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its itself just kind last
    least less let let's like likely long look looking lot lots make makes many may maybe me might mine more most much
    must my myself need needed needs neither never next no nor not now of off often ok on once one ones only or other
    others our ours out over own per perhaps please quite rather really recently same see she should since so some
    someone something sometimes soon still such sure take tell than thank thanks that that's the their them then there
    these they thing things think this those though through to together too toward under until up upon us use used
    uses using usually very want wanted wants was way we we're well were what what's when where whether which while
    who whom whose why will with within without won't would wouldn't yet you you're your yours yourself"""
)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, hyphens as spaces, straight apostrophes."""
    return [match[0].replace("’", "'").casefold() for match in _WORD.finditer(text)]


def stem(word: str) -> str:
    """An English word without the plural's ending; other words as they are."""
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("ves"):
        return word[:-3] + ("fe" if word[-4] == "i" else "f") if word in _VES else word[:-1]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def stems_of(text: str) -> list[str]:
    return [stem(word) for word in words_of(text)]


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, repeats kept."""
    return [stem(word) for word in words_of(text) if word not in STOP_WORDS]


def contains_phrase(stems: list[str], phrase: tuple[str, ...]) -> bool:
    """True when the stems of ``phrase`` stand side by side in ``stems``."""
    size = len(phrase)
    return any(tuple(stems[i : i + size]) == phrase for i in range(len(stems) - size + 1))


def joined(items: list[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def with_article(noun: str) -> str:
    """ "a dog bed", "an essential oil set"; nothing is put before a plural."""
    last = noun.split()[-1]
    if (last.endswith("s") and not last.endswith("ss")) or last[-1].isdigit():
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    if noun[-1].isdigit():
        return noun
    if noun.endswith(("ch", "sh", "x", "ss", "z")):
        return f"{noun}es"
    return noun if noun.endswith("s") else f"{noun}s"


_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_text(number: int) -> str:
    """Numbers up to ten as words."""
    return _SMALL[number] if 0 <= number < len(_SMALL) else f"{number:,}"


def first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


_VES = frozenset({"knives", "shelves", "leaves", "halves", "wolves", "calves", "scarves", "loaves"})
