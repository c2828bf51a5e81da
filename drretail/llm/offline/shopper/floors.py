"""The least rating and the least number of ratings that a query insists on."""

import re
from dataclasses import dataclass

_NUMBER = r"[1-5](?:\.\d{1,2})?"
_LEAST = (
    r"(?:at least|a minimum(?: rating)? of|minimum(?: rating)?(?: of)?|no less than|not (?:less|lower) than|above|over)"
)
_STARS = re.compile(
    rf"\b{_LEAST} (?P<least>{_NUMBER})[ -]?(?:stars?\b|out of (?:5|five)(?! [a-z]+s\b))"
    rf"|\b(?:rated|ratings? of|average(?: rating)?(?: of| is)?|scores?) {_LEAST} (?P<rated>{_NUMBER})"
    r"(?![\d.,]*\d|%| (?:reviews|ratings))"
    rf"|\b(?P<plus>{_NUMBER})[ -]?(?:\+ ?stars?|stars? (?:or|and) (?:better|more|higher|up|above|over))"
    rf"|\brated (?P<better>{_NUMBER}) (?:or|and) (?:better|more|higher|up|above)\b"
    rf"|\b(?:under|below|less than|lower than|fewer than) (?P<under>{_NUMBER})[ -]?stars?\b",
    re.IGNORECASE,
)
_COUNT = r"\d[\d,]{0,7}"
_REVIEWS = re.compile(
    rf"\b(?:(?:fewer|less) than|under|below) (?P<fewer>{_COUNT})(?: (?:customer|buyer|user))? (?:reviews|ratings)\b"
    rf"|\b(?:at least|a minimum of|minimum(?: of)?|no (?:fewer|less) than|more than|over) (?P<least>{_COUNT})"
    rf"(?: (?:customer|buyer|user))? (?:reviews|ratings)\b|\b(?P<plus>{_COUNT})\+ (?:reviews|ratings)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Floors:
    """``rating`` from 0 to 5, None for none; ``ratings`` 0 for none."""

    rating: float | None = None
    ratings: int = 0

    def __bool__(self) -> bool:
        return self.rating is not None or self.ratings > 0

    @property
    def text(self) -> str:
        """ "at least 4 stars and at least 100 ratings"."""
        stars = f"at least {self.rating:g} star{'' if self.rating == 1 else 's'}" if self.rating is not None else ""
        voices = f"at least {self.ratings:,} ratings" if self.ratings else ""
        return " and ".join(part for part in (stars, voices) if part)


NO_FLOORS = Floors()


def read_floors(query: str) -> Floors:
    """The highest floors that the query names."""
    stars = [float(next(filter(None, match.groups()))) for match in _STARS.finditer(query)]
    counts = [int(next(filter(None, match.groups())).replace(",", "")) for match in _REVIEWS.finditer(query)]
    return Floors(max((rating for rating in stars if rating <= 5), default=None), max(counts, default=0))
