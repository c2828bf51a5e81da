"""What a session needs of a terminal; tests answer in its place."""

from typing import Protocol

from drretail.querygen.review.page import Section

_WORDS = ("yes", "no", "accept", "edit", "reject", "skip", "back", "quit")


def letter_of(typed: str) -> str:
    """The letter that somebody typed, or the first one of a word for which it stands; else an empty text."""
    word = typed.strip().casefold()
    return word if len(word) == 1 else word[0] if word in _WORDS else ""


class Screen(Protocol):
    """A person in front of a terminal."""

    @property
    def width(self) -> int:
        """Characters that fit a line."""
        ...

    def begin(self, title: str) -> None:
        """Begins a page."""
        ...

    def show(self, *sections: Section) -> None:
        """Headings with their lines."""
        ...

    def say(self, text: str) -> None:
        """One line of talk."""
        ...

    def ask(self, prompt: str) -> str | None:
        """What was typed; None at the end of all input. A KeyboardInterrupt passes."""
        ...

    def edit(self, draft: str) -> str | None:
        """The draft as it was changed; None when nothing was saved."""
        ...
