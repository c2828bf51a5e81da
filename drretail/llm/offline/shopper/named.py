"""Where a query names known kinds of things."""

from drretail.llm.offline.shopper.kinds import KINDS, THEMES, Kind
from drretail.llm.offline.shopper.need import LONGEST_NAME, kinds_by_name
from drretail.llm.offline.shopper.phrases import FILLERS
from drretail.llm.offline.shopper.tokens import Token
from drretail.llm.offline.shopper.words import STOP_WORDS, stems_of, word_set

Span = tuple[int, int, Kind]
"""A kind with the places where its name begins and ends."""

_PLACES_BEFORE = frozenset({"my", "the", "our", "around", "near", "whole"})
# A noun stands alone in front of these: "which harness fits", and not "a flower corner".
_VERBS_BEHIND = word_set(
    "fits fit suits suit works work lasts last holds hold helps help keeps keep stays stay stops stop costs"
)


def known_spans(tokens: list[Token], requests: list[Token]) -> list[Span]:
    """Where known kinds are named; those of no theme only in ``requests``, for many are named in passing."""
    cues = {token.word for token in tokens}
    loose = {
        stems_of(name)[0]: kind for kind in reversed(KINDS) for name in kind.loose if cues & set(THEMES[kind.theme])
    }
    spans: list[Span] = []
    index = 0
    while index < len(tokens):
        span = _span_at(tokens, index) or _loose_at(tokens, index, loose)
        if span is not None and not span[2].theme and _span_at(requests, index) != span:
            span = None
        if span is None:
            index += 1
        else:
            spans.append(span)
            index = span[1]
    return spans


def requested(spans: list[Span], requests: list[Token]) -> list[Span]:
    """The spans without what is named only where the shopper wonders: "how it goes on with a serum"."""
    return [span for span in spans if all(token.word != "the" for token in requests[span[0] : span[1]])]


def _span_at(tokens: list[Token], start: int) -> Span | None:
    for size in range(LONGEST_NAME, 0, -1):
        part = tokens[start : start + size]
        if len({token.clause for token in part}) == 1 and (
            kind := kinds_by_name().get(tuple(token.stem for token in part))
        ):
            return start, start + len(part), kind
    return None


def _loose_at(tokens: list[Token], index: int, loose: dict[str, Kind]) -> Span | None:
    kind = loose.get(tokens[index].stem)
    if kind is None or (index > 0 and tokens[index - 1].word in _PLACES_BEFORE):
        return None
    behind = tokens[index + 1] if index + 1 < len(tokens) else None
    within = behind is not None and behind.clause == tokens[index].clause and not behind.after_comma
    plain = STOP_WORDS | FILLERS | _VERBS_BEHIND
    if behind is not None and within and behind.word not in plain and not behind.word.isdigit():
        return None  # the "flower" of a flower corner
    return index, index + 1, kind
