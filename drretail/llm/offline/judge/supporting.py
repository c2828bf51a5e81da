"""Whether sources bear out a claim, by names, figures, negation and wording."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from drretail.llm.offline.judge.calculations import amounts_in, are_calculations, borne_out
from drretail.llm.offline.judge.figures import Figure, figures_of, known_figures
from drretail.llm.offline.judge.opposing import opposite, replaced
from drretail.llm.offline.judge.segments import Segment, segments_of
from drretail.llm.offline.judge.stems import content_stems, stem

Label = Literal["full_support", "partial_support", "no_support"]

FULL_COVERAGE = 0.7
"""The part of a claim's words that must be found for full support: restating changes some words."""
SOME_COVERAGE = 0.3
_PASSAGES = 4
"""From how many passages of one source a claim may be put together; all of a long page would bear out anything."""
_QUOTE = 300
_CLOSE = 2
"""How many words a passage must share with a claim for their denials to be compared."""
_NEGATED_WORDS = 4
_NAME = re.compile(r"(?<![.!?:;|] )(?<![.!?:;|]  )(?<!^)(?<![\w'’])[A-Z][\w'’&-]*[a-z0-9][\w'’-]*")

_NEGATION = re.compile(r"\b(?:not|no|never|without|neither|nor|cannot|lacks?|n['’]t)\b|n['’]t\b|\bnon-", re.IGNORECASE)
_ABSENCE = re.compile(
    r"\b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:say|mention|list|state|name"
    r"|give)\s+[“\"'‘](?P<word>[^”\"'’]+)[”\"'’]",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(r"\b(?:all|only|every|always|never|none|exclusively|guaranteed?|100\s?%)\b", re.IGNORECASE)
# What was asked for stands in the query; what the sources must bear out comes behind it.
_ASKED = re.compile(r"\b(?:as\s+)?you\s+(?:asked|wanted|wished)\b[^:;]*:", re.IGNORECASE)
_THRESHOLD = re.compile(r"\b(?:at least|asked for)\b[^:;]*:", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?:of|among|lead|leads)\s+the\b[^.;:]*\bI\s+compared\b", re.IGNORECASE)
_NO_PRICE = re.compile(
    r"\bprices?:\s*the shop lists none\b|\b(?:has|have|with|lists?|gives?|shows?) no (?:listed |known )?price\b"
    r"|\bno price (?:is |was )?(?:listed|given|known|shown)\b|\bprice (?:is )?(?:not (?:listed|known|given)|unknown)\b",
    re.IGNORECASE,
)
_PRICE = re.compile(r'"price"\s*:\s*(?P<amount>null|\d[\d.]*)')


@dataclass(frozen=True, slots=True)
class Opinion:
    """The judgement of one claim; the quote stands in a source, or is empty."""

    label: Label
    reason: str
    quote: str


def judge_claim(claim: str, sources: Sequence[str]) -> Opinion:
    """How far the sources bear out the claim."""
    if are_calculations(sources):
        return _judge_calculated(claim, sources)
    segments = [segment for source in sources for segment in segments_of(source)]
    absent = _ABSENCE.search(claim)
    if absent is not None:
        return _judge_absence(absent["word"], sources)
    if _NO_PRICE.search(claim) and (priced := _judge_no_price(sources)) is not None:
        return priced
    is_threshold = bool(_THRESHOLD.search(claim))
    claim = _ASKED.sub("", claim)
    figures = figures_of(claim)
    wanted = content_stems(_without(claim, figures))
    chosen = _chosen(wanted, segments, _PASSAGES * max(1, len(sources)))
    found = wanted & frozenset[str]().union(*(segment.stems for segment in chosen))
    known = known_figures(list(sources))
    held = [figure for figure in figures if known.bears_out(figure, claim)]
    missing = [figure for figure in figures if figure not in held]
    contradicted = [figure for figure in missing if known.contradicts(figure) or (is_threshold and known.rates(figure))]
    compared = _COMPARED.search(claim)
    if compared is not None:  # how many were compared stands in no source
        contradicted = [figure for figure in contradicted if figure.value is not None or figure.said not in compared[0]]
    quote = _quote(chosen, segments, held, contradicted)
    conflict = _conflict(claim, wanted, chosen, segments)
    names, known_names = _names(claim, segments)
    if conflict:
        return Opinion("no_support", conflict, quote)
    if names and not known_names:
        return Opinion("no_support", f"the sources do not name {_listed(sorted(names))}", "")
    if any(figure.is_settling for figure in contradicted) or (contradicted and not held):
        return Opinion("no_support", f"the sources give other figures than {_said(contradicted)}", quote)
    if compared is not None:
        return Opinion("partial_support", "what was compared cannot be seen in the sources", quote)
    coverage = len(found) / len(wanted) if wanted else (1.0 if held else 0.0)
    return _weighed(wanted - found, coverage, held, missing, names - known_names, _overstated(claim, segments), quote)


def _judge_calculated(claim: str, sources: Sequence[str]) -> Opinion:
    """A claim of which every source is a calculation holds when its amounts stand there."""
    held = borne_out(amounts_in(claim), sources)
    quote = sources[0].strip()
    if not any(held):
        return Opinion("no_support", "the calculations give no amount that the claim names", "")
    if all(held):
        return Opinion("full_support", "its amounts stand in the calculations", quote)
    return Opinion("partial_support", "some of its amounts stand in no calculation", quote)


def _without(claim: str, figures: Sequence[Figure]) -> str:
    """The claim without its figures and their units, which are compared on their own."""
    for said in dict.fromkeys(figure.said.strip() for figure in figures):
        claim = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", " ", claim)
    return claim


def _weighed(
    unsaid: frozenset[str],
    coverage: float,
    held: list[Figure],
    missing: list[Figure],
    unnamed: frozenset[str],
    overstated: str,
    quote: str,
) -> Opinion:
    if not held and coverage < SOME_COVERAGE:
        return Opinion("no_support", "the sources say nothing of it", "")
    if coverage >= FULL_COVERAGE and not missing and not unnamed and not overstated:
        return Opinion("full_support", "names, figures and wording stand in the sources", quote)
    lacks = [
        f"the figures {_said(missing)}" if missing else "",
        f"the names {_listed(sorted(unnamed))}" if unnamed else "",
        f"“{overstated}”" if overstated else "",
        f"words such as {_listed(sorted(unsaid)[:4])}" if coverage < FULL_COVERAGE else "",
    ]
    return Opinion("partial_support", f"the sources lack {', '.join(filter(None, lacks))}", quote)


def _judge_absence(word: str, sources: Sequence[str]) -> Opinion:
    """A claim that the source does not say something is right when it does not."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    found = next((match for source in sources if (match := pattern.search(source))), None)
    if found is None:
        return Opinion("full_support", f"the sources do not say “{word}”, as claimed", "")
    return Opinion("no_support", f"the sources do say “{found[0]}”", found[0])


def _judge_no_price(sources: Sequence[str]) -> Opinion | None:
    """A claim that the shop names no price is right when the records have none; None where there is no record."""
    prices = [match for source in sources if (match := _PRICE.search(source)) is not None]
    if not prices:
        return None
    named = next((price for price in prices if price["amount"] != "null"), None)
    if named is None:
        return Opinion("full_support", "the record has no price, as claimed", prices[0][0])
    return Opinion("no_support", "the record has a price", named[0])


def _chosen(wanted: frozenset[str], segments: Sequence[Segment], most: int) -> list[Segment]:
    """The passages that together hold most of the wanted stems, the best first."""
    chosen: list[Segment] = []
    left = wanted
    while left and len(chosen) < most:
        best = max(segments, key=lambda segment: len(segment.stems & left), default=None)
        if best is None or not best.stems & left:
            break
        chosen.append(best)
        left -= best.stems
    return chosen


def _names(claim: str, segments: Sequence[Segment]) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of the claim's names (capitals within a sentence), and those of them that the sources have."""
    said = {stem(match[0]) for match in _NAME.finditer(claim) if content_stems(match[0])}
    names = frozenset(said & content_stems(claim))
    known = frozenset[str]().union(*(segment.stems for segment in segments))
    return names, names & known


def _conflict(claim: str, wanted: frozenset[str], chosen: list[Segment], segments: Sequence[Segment]) -> str:
    """Why the sources say otherwise: the claim denies what they say, they deny it, or they say the opposite."""
    if said_otherwise := opposite(wanted, segments) or replaced(claim, segments):
        return said_otherwise
    close = [segment for segment in chosen if len(segment.stems & wanted) >= min(_CLOSE, len(wanted))]
    said = frozenset[str]().union(*(segment.stems for segment in close))
    denies = frozenset[str]().union(*(_denied(segment.raw) for segment in close)) & wanted
    return "the claim and its source differ in what they deny" if bool(_denied(claim) & said) != bool(denies) else ""


def _denied(text: str) -> frozenset[str]:
    """The stems that a negation stands before, within a few words of the same clause."""
    found = frozenset[str]()
    for negation in _NEGATION.finditer(text):
        clause = re.split(r"[.,;:!?]|\bbut\b", text[negation.end() :], maxsplit=1)[0]
        found |= content_stems(" ".join(clause.split()[:_NEGATED_WORDS]))
    return found


def _overstated(claim: str, segments: Sequence[Segment]) -> str:
    """A word for "all" or "only" that no source uses."""
    said = _UNIVERSAL.search(claim)
    if said is None or any(_UNIVERSAL.search(segment.raw) for segment in segments):
        return ""
    return said[0]


def _quote(
    chosen: list[Segment], segments: Sequence[Segment], held: Sequence[Figure], contradicted: Sequence[Figure]
) -> str:
    """The passage that decides: one with the figures in question where there are any, else the best by wording."""
    for figure in (*contradicted, *held):
        if figure.value is not None:
            field = {"money": '"price"', "rating": '"average_rating"', "count": '"rating_number"'}.get(
                figure.value.kind
            )
            named = next((it for it in segments if field and it.raw.startswith(field)), None)
            if named is not None:
                return named.raw
    with_figure = [it for it in chosen if any(figure.said.strip() in it.raw for figure in held)]
    best = next(iter(with_figure or chosen), None)
    if best is None:
        return next((it.raw for it in segments if any(f.said.strip() in it.raw for f in held)), "")[:_QUOTE]
    return best.raw if len(best.raw) <= _QUOTE else best.raw[:_QUOTE].rsplit(" ", 1)[0]


def _said(figures: Sequence[Figure]) -> str:
    return _listed([figure.said.strip() for figure in figures])


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
