"""Turns of speech whose nouns are nothing to buy: "get rid of flakes", "get makeup off", "nothing with talc"."""

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_IDIOMS = re.compile(
    r"\b(?:get|gets|getting|got) (?P<rid>rid)\b"
    r"|\b(?:get|getting|bring|bringing|win|want) (?P<back>(?:(?:some|my|the|our|its|a bit of|a little) )?"
    r"(?:[\w'’-]+ ){1,2}?)(?:back|off)\b"
    # A list goes on behind what is ruled out: "no talc, and shampoo".
    r"|\b(?P<nothing>nothing (?:with|containing|made with|made of|that has|that contains) "
    r"(?:any )?[\w'’-]+(?: (?:or|nor) [\w'’-]+)?)"
    r"|\bno (?P<no>talc|parabens?|sulfates?|sulphates?|fragrances?|perfume|alcohol|silicones?|aluminum|gluten|latex"
    r"|leather|velcro|glitter)\b"
    # By what something is judged is named like things: "look at leash attachments above all".
    r"|\b(?:look at|watch|mind) (?P<above>[\w'’ -]{2,40}?)(?= above all\b)"
    r"|\b(?:pay(?:ing)? attention to|care most about|judged by|judging by|compar(?:ed|ing) (?:[\w'’]+ )?on)"
    r" (?P<by>[\w'’ -]{2,60}?)(?= for (?:the|a|an|my)\b|[.,;:?!]|$)"
    r"|\bcheck(?:ing)? (?:(?:the|its|their) )?(?:ingredients?|labels?|list|contents?|descriptions?|reviews) for"
    r" (?P<checked>[\w'’ -]{2,40}?)(?=[.,;:?!]|$| (?:and|or|before|too)\b)",
    re.IGNORECASE,
)


def without_idioms(query: str) -> str:
    """The query with every word of such turns that could pass for a thing replaced by "the"; places are kept.

    "get rid of" becomes "get without of": what shall go is named like what is not wanted.
    """
    return _IDIOMS.sub(_blanked, query)


def _blanked(match: re.Match[str]) -> str:
    name = next(name for name, part in match.groupdict().items() if part)
    start, end = match.start(name) - match.start(), match.end(name) - match.start()
    text = match[0]
    return text[:start] + _WORD.sub("without" if name == "rid" else "the", text[start:end]) + text[end:]
