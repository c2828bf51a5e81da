"""Which titles a report mentions as DR³-Eval's released code finds them (evaluators/citation_coverage.py, b3b4d9c).

It is far too generous, which is why only ``--rules dr3`` uses it: a plain mention counts, any bracketed text that is
part of a title does, and so do two titles that share a "brand" of which three letters within a word are enough: "ted"
is in "tested" and in "rated".
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

_NOTES = ("注", "图", "表", "附录", "TODO", "NOTE", "WARNING", "TIP", "IMPORTANT")
"""What begins a bracketed text that is no citation."""
_BRAND_WORDS = """
bbc ted cnn nbc abc cbs fox npr pbs youtube vimeo bilibili netflix hbo disney discovery mit harvard stanford
oxford cambridge google microsoft apple amazon facebook meta openai anthropic deepmind
"""
_BRANDS = (*_BRAND_WORDS.split(), "national geographic", "history channel")
_SMALL_WORDS = """
的 了 是 在 和 与 这 那 有 为 以 及 the a an of to in for on with and or is are video audio image doc document file mp4
mp3 pdf jpg png
"""
_STOPWORDS = frozenset(_SMALL_WORDS.split())
_SHARED_WORDS = 0.6
_LIKENESS = 0.75
_QUOTES = str.maketrans("“”‘’「」『』", '""\'\'""""')
_NAMED = re.compile(r"\[(?:long_context|source):\s*(?:[\"']([^\"']+)[\"']|“([^”]+)”)|\[Image:\s*([^\[\]]+)\]")
_BRACKETED = re.compile(r"\[([^\[\]]{4,})\]")
_PAGES = re.compile(r"(.+\.(?:md|txt|pdf|docx?)),\s*第[\d\-]+页")
_PUNCTUATION = re.compile(r"[,，.。!！?？;；:：\-_\[\]【】()（）{}\"']+")
_IDENTIFIERS = re.compile(r"[A-Z][A-Z0-9\-]+[A-Z0-9]|\d+[A-Z\-]+[A-Z]+|[A-Z]+-\d+[A-Z]+")
_IN_PARENTHESES = re.compile(r"[（(]([^）)]+)[）)]")


def matched_titles(report: str, titles: Iterable[str]) -> set[str]:
    """Those of the titles that the released code takes for cited."""
    citations = [*dict.fromkeys(_citations(report))]
    text = _normal(report)
    return {
        title
        for title in titles
        if any(_cites(citation, title) for citation in citations) or _stands_in(title, report, text)
    }


def _stands_in(title: str, report: str, text: str) -> bool:
    """True for a title of four characters, or a name in capitals of four, that stands anywhere."""
    normal = _normal(title)
    if len(normal) >= 4 and normal in text:
        return True
    return any(len(identifier) >= 4 and identifier.lower() in report.lower() for identifier in _identifiers(title))


def _citations(report: str) -> Iterator[str]:
    for found in _NAMED.finditer(report):
        yield re.sub(r",\s*chunk\s*\d+$", "", next(filter(None, found.groups()))).strip()
    for bracketed in _BRACKETED.findall(report):
        mention = bracketed.strip()
        if paged := _PAGES.fullmatch(mention):
            yield paged[1].strip()
        is_mark = mention.startswith(("long_context:", "source:", "Image:", *_NOTES)) or re.fullmatch(
            r"[\d\s]+", mention
        )
        if mention and not is_mark and not set(mention) & set("()"):
            yield mention


def _cites(citation: str, title: str) -> bool:
    mention, whole, main = _normal(citation), _normal(title), _normal(title.split("-")[0])
    if any(each in mention or mention in each for each in (whole, main)):
        return True
    return any(identifier.lower() in mention for identifier in _identifiers(title)) or _are_alike(title, citation)


def _are_alike(title: str, citation: str) -> bool:
    """By parts of one in the other without punctuation, by words, by brands, or by letters."""
    whole, mention = _normal(title), _normal(citation)
    if not whole or not mention:
        return False
    bare, other = (re.sub(r"\s+", " ", _PUNCTUATION.sub(" ", each)).strip() for each in (whole, mention))
    if bare and other and (bare in other or other in bare):
        return True
    words = [*_words(whole)]
    if len(words) >= 2 and sum(word in mention for word in words) / len(words) >= _SHARED_WORDS:
        return True
    if any(brand in whole and brand in mention for brand in _BRANDS):
        return True
    return min(len(bare), len(other)) >= 5 and _likeness(bare, other) >= _LIKENESS


def _words(text: str) -> Iterator[str]:
    """Words of Latin letters; of ideographs each run and each sign."""
    yield from (each for each in re.findall(r"[a-zA-Z]+", text) if len(each) > 1 and each not in _STOPWORDS)
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        if len(run) >= 2:
            yield run
        yield from (each for each in run if each not in _STOPWORDS)


def _likeness(one: str, other: str) -> float:
    """1 less the share of letters that have to be changed (Levenshtein), or 0 for what is less than is asked for."""
    longer = max(len(one), len(other))
    if (Counter(one) & Counter(other)).total() < _LIKENESS * longer:  # whatever their order
        return 0.0
    before = list(range(len(other) + 1))
    for row, sign in enumerate(one, 1):
        now = [row]
        for column, beside in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (sign != beside)))
        before = now
        if min(now) > (1 - _LIKENESS) * longer:
            return 0.0
    return 1 - before[-1] / longer


def _identifiers(title: str) -> list[str]:
    """Names in capitals, and what stands in parentheses, of three characters or more."""
    found = [*_IDENTIFIERS.findall(title), *_IN_PARENTHESES.findall(title)]
    return [each for each in dict.fromkeys(found) if len(each) >= 3]


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split()).lower()
