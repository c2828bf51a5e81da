"""A query as an editor opens it, changed by hand: checked again, shown again, and kept or dropped."""

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum
from typing import Any, Protocol

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.parsing import parse_json
from drretail.querygen.review.item import Items, Section, checks_of, constraints_told, wrapped
from drretail.querygen.review.records import Edit
from drretail.records.query import Constraints, Query


def word_diff(before: str, after: str) -> str:
    """The new text with what was taken out as [-words-] and what was put in as {+words+}."""
    parts: list[str] = []
    for same, old, new in _pieces(before, after):
        if same:
            parts.append(" ".join(old))
            continue
        if old:
            parts.append(f"[-{' '.join(old)}-]")
        if new:
            parts.append(f"{{+{' '.join(new)}+}}")
    return " ".join(parts)


def words_changed(before: str, after: str) -> float:
    """The share of words that were replaced, taken out or put in, of those of the longer text: 0 to 1."""
    longest = max(len(before.split()), len(after.split()))
    changed = sum(max(len(old), len(new)) for same, old, new in _pieces(before, after) if not same)
    # Words may move: what is taken out here and put in there counts twice.
    return min(changed / longest, 1.0) if longest else 0.0


def _pieces(before: str, after: str) -> Iterator[tuple[bool, list[str], list[str]]]:
    old, new = before.split(), after.split()
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield kind == "equal", old[first:last], new[start:end]


RULE = "----- below: what the text is checked against (JSON). Change it where the text changed. -----"
TYPED = ("constraints", "expected_tools", "rationale")


def draft_of(query: Query) -> str:
    """What is opened; ``edited`` reads it back."""
    return f"{query.text}\n\n{RULE}\n{typed_of(query)}\n"


def typed_of(query: Query) -> str:
    """The constraints, expected tools and rationale as readable JSON."""
    value = query.model_dump(mode="json", include=set(TYPED), exclude_none=True)
    return json.dumps({name: value[name] for name in TYPED}, ensure_ascii=False, indent=2)


def edited(query: Query, draft: str) -> Query:
    """The query as the draft has it.

    Raises UserError, in a sentence for who edits, when the draft makes no query.
    """
    text, rule, typed = draft.partition(RULE)
    if not text.strip():
        raise UserError("The text is empty.")
    return changed(query, {**(_typed(typed) if rule else {}), "text": retyped(query, text)})


def changed(query: Query, changes: dict[str, Any]) -> Query:
    """The query with other values in these fields. Raises UserError where one doesn't fit its field."""
    try:
        return Query.model_validate(query.model_dump() | changes)
    except ValidationError as problem:
        error = problem.errors()[0]
        raise UserError(f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}.") from problem


def constraints_from(text: str) -> Constraints:
    """Constraints out of their JSON. Raises UserError in a sentence."""
    try:
        return Constraints.model_validate_json(text)
    except ValidationError as problem:
        error = problem.errors()[0]
        where = ".".join(str(part) for part in error["loc"]) or "the JSON"
        raise UserError(f"{where}: {error['msg']}.") from problem


def written_constraints(typed: str) -> str:
    """What of a draft's part below the line is constraints, on one line, without those that are not set."""
    try:
        constraints = parse_json(typed)["constraints"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return " ".join(typed.split())
    return json.dumps({name: value for name, value in constraints.items() if value}, ensure_ascii=False)


def with_constraints(typed: str, constraints: str) -> str:
    """The part below the line with other constraints; what is no JSON stays as it is, and is refused later."""
    try:
        new = parse_json(constraints)
    except json.JSONDecodeError:
        return constraints
    try:
        known = parse_json(typed)
    except json.JSONDecodeError:
        known = {}
    return json.dumps({**known, "constraints": new}, ensure_ascii=False, indent=2)


def edit_of(before: Query, after: Query) -> Edit | None:
    """What differs between the two; None when nothing does."""
    fields = tuple(name for name in Query.model_fields if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    return Edit(before=before, after=after, fields=fields, diff=word_diff(before.text, after.text))


def retyped(query: Query, text: str) -> str:
    """The text as somebody wrote it; the query's own where they differ in nothing but spaces at the ends of lines."""
    return query.text if _tidy(text) == _tidy(query.text) else _tidy(text)


def _tidy(text: str) -> str:
    """Without the spaces at line ends and the empty lines around, which editors leave."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _typed(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except json.JSONDecodeError as problem:
        raise UserError(f"Below the line is no JSON (line {problem.lineno}: {problem.msg}).") from problem
    if not isinstance(value, dict) or set(value) - set(TYPED):
        raise UserError(f"Below the line, only {', '.join(TYPED)} can stand.")
    return value


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


def edit_by_hand(screen: Screen, items: Items, query: Query) -> Edit | None:
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
        _show(screen, items, edit)
        answer = _answer(screen, KEEP, "yen")
        if answer != "e":
            return edit if answer == "y" else None


def _show(screen: Screen, items: Items, edit: Edit) -> None:
    sections = [Section("As edited", wrapped(edit.diff.splitlines() or [""], screen.width))]
    if "constraints" in edit.fields:
        told = constraints_told(edit.after.constraints)
        sections.append(Section("Typed", wrapped(told, screen.width, bullet="· ")))
    screen.show(*sections, *checks_of(items.check(edit.after), screen.width))


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
