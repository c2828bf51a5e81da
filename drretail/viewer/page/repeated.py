"""Long texts, once on a page: what many runs read is shown where it comes first, and copied from there."""

from dataclasses import dataclass, field

SHORT = 300
"""Characters that are sooner repeated than looked up."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether a text stands here, and the anchor of where it does; no anchor where nothing leads to it."""

    first: bool
    anchor: str


@dataclass(slots=True)
class Once:
    """Asked of every text of a page in its order."""

    prefix: str = "t"
    """What its anchors begin with."""
    _places: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str) -> Shown:
        if len(text) < SHORT:
            return Shown(first=True, anchor="")
        first = text not in self._places
        return Shown(first, self._places.setdefault(text, f"{self.prefix}{len(self._places) + 1}"))
