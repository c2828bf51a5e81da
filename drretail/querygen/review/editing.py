"""A query changed by hand: checked again, shown again, and kept or dropped."""

from enum import Enum
from typing import Protocol

from drretail.errors import UserError
from drretail.querygen.review.dossier import Dossiers
from drretail.querygen.review.draft import draft_of, edit_of, edited
from drretail.querygen.review.page import Section, checks_of, constraints_told, wrapped
from drretail.querygen.review.records import Edit
from drretail.records.query import Query


class Move(Enum):
    """The keys for it."""

    SKIP = "s"
    BACK = "b"
    QUIT = "q"


class Moved(Exception):
    """The reviewer went elsewhere."""

    def __init__(self, move: Move) -> None:
        super().__init__(move.value)
        self.move = move


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


KEEP = "Keep it? [y] yes  [e] edit again  [n] drop the edit  [q] quit"
AGAIN = "[e] edit again  [n] drop the edit  [q] quit"


def edit_by_hand(screen: Screen, dossiers: Dossiers, query: Query) -> Edit | None:
    """The edit that the reviewer keeps; None when it was dropped, or changes nothing.

    Raises Moved where the reviewer quits; then there is no edit.
    """
    draft = draft_of(query)
    while True:
        draft = screen.edit(draft) or draft
        try:
            edit = edit_of(query, edited(query, draft))
        except UserError as problem:
            screen.say(f"This makes no query. {problem}")
            if _answer(screen, AGAIN, "en") != "e":
                return None
            continue
        if edit is None:
            screen.say("Nothing was changed.")
            return None
        _show(screen, dossiers, edit)
        answer = _answer(screen, KEEP, "yen")
        if answer != "e":
            return edit if answer == "y" else None


def _show(screen: Screen, dossiers: Dossiers, edit: Edit) -> None:
    sections = [Section("As edited", wrapped(edit.diff.splitlines() or [""], screen.width))]
    if "constraints" in edit.fields:
        told = constraints_told(edit.after.constraints)
        sections.append(Section("Typed", wrapped(told, screen.width, bullet="· ")))
    screen.show(*sections, *checks_of(dossiers.check(edit.after), screen.width))


def _answer(screen: Screen, prompt: str, allowed: str) -> str:
    """One of the letters; "n" at the end of input. Raises Moved where the reviewer quits."""
    while True:
        typed = screen.ask(prompt)
        if typed is None:
            return "n"
        letter = letter_of(typed)
        if letter and letter in allowed:
            return letter
        if letter == Move.QUIT.value:
            raise Moved(Move.QUIT)
        screen.say(f"Please type one of {', '.join(allowed)}, or q.")
