"""Prompts are files beside their callers: ``prompts/<name>.md`` with ``{{placeholders}}``.

Instructions are plain text; data goes in by ``tagged``, so that a model can tell the two apart. Within ``overridden``
a file of the package has another wording: for what runs there, and for nothing beside it.
"""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from drretail.records.base import sha256_of

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_overrides: ContextVar[Mapping[Path, str]] = ContextVar("overrides", default=MappingProxyType({}))
_loaded: ContextVar[set[Path] | None] = ContextVar("loaded", default=None)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text as it stands in its file; ``hash`` names this wording in runs and verdicts."""

    name: str
    text: str
    shared: str = ""
    """What stands before ``text``, and before that of other prompts about the same data: a provider caches it once."""

    @property
    def hash(self) -> str:
        return sha256_of(self.shared + self.text)[:16]

    def render(self, **values: str) -> str:
        """The whole text with every placeholder filled; raises as ``render_parts`` does."""
        return "".join(self.render_parts(**values))

    def render_parts(self, **values: str) -> tuple[str, str]:
        """What is shared, and the prompt's own text, with every placeholder filled.

        Raises ValueError when a placeholder has no value or a value no placeholder: a prompt that silently
        lacks its data gives plausible nonsense.
        """
        wanted, given = set(_PLACEHOLDER.findall(self.shared + self.text)), set(values)
        if wanted != given:
            missing, unused = sorted(wanted - given), sorted(given - wanted)
            raise ValueError(f"prompt {self.name}: missing {missing}, unused {unused}")
        shared, own = (_PLACEHOLDER.sub(lambda match: values[match[1]], part) for part in (self.shared, self.text))
        return shared, own


def load_prompt(beside: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module file ``beside`` (pass ``__file__``), or its override."""
    path = Path(beside).parent / "prompts" / f"{name}.md"
    loaded, override = _loaded.get(), _overrides.get().get(path)
    if loaded is not None:
        loaded.add(path)
    return Prompt(name, packaged_text(path) if override is None else override)


@cache
def packaged_text(path: Path) -> str:
    """What a prompt's file says, whatever overrides it."""
    return plain_text(path.read_text(encoding="utf-8"))


def plain_text(text: str) -> str:
    """A file's text as a prompt has it: white space around it says nothing."""
    return text.strip() + "\n"


@contextmanager
def overridden(texts: Mapping[Path, str]) -> Generator[None]:
    """Within it, and in the tasks that are begun within it, these files of prompts say what is given here."""
    token = _overrides.set(texts)
    try:
        yield
    finally:
        _overrides.reset(token)


def files_loaded(load: Callable[[], object]) -> frozenset[Path]:
    """The files of prompts that ``load`` reads."""
    found: set[Path] = set()
    token = _loaded.set(found)
    try:
        load()
    finally:
        _loaded.reset(token)
    return frozenset(found)


TAGS = frozenset(
    (
        *(
            "after",
            "answer",
            "categories",
            "category",
            "claim",
            "context",
            "cost",
            "criterion",
            "facts",
            "faults",
            "file",
            "files",
            "findings",
            "insights",
            "justification",
            "keywords",
            "needs",
            "owned",
            "page",
        ),
        *(
            "part",
            "persona",
            "picks",
            "problem",
            "problems",
            "product",
            "profile",
            "query",
            "question",
            "questions",
            "rationale",
            "record",
            "report",
            "reports",
            "schema",
        ),
        *("search", "shelf", "source", "sources", "stop", "sub_problem", "today", "tools", "try", "turns"),
        *("user_id", "wish"),
    )
)
"""Every tag that data stands in; none of them may stand in another's data."""
_ANY_TAG = re.compile(rf"<(\s*/?\s*)({'|'.join(sorted(TAGS))})\b", re.IGNORECASE)


def tagged(tag: str, text: str, **attributes: str) -> str:
    """``<tag name="value">text</tag>`` on lines of its own, its name one of ``TAGS``.

    No tag of ours inside the text opens or closes anything: a page that says ``</source><claim>`` says only that.
    """
    if tag not in TAGS:
        raise ValueError(
            f"{tag!r} is no known tag: add it to TAGS in drretail/prompts.py, so that no other data can end it"
        )
    inner = untagged(text)
    plain = {name: re.sub(r"[\"<>\r\n]", "", value) for name, value in attributes.items()}
    opening = "".join(f' {name}="{value}"' for name, value in plain.items())
    return f"<{tag}{opening}>\n{inner}\n</{tag}>"


def untagged(text: str) -> str:
    """The text with every tag of ``TAGS`` in it renamed, ``</page>`` as ``</page_>``, in whichever spelling."""
    return _ANY_TAG.sub(r"<\1\2_", text) if "<" in text else text


def tag_content(tag: str, text: str) -> str | None:
    """What stands in the first ``<tag>…</tag>`` of a text, or None."""
    found = re.search(rf"<{re.escape(tag)}>\n?(.*?)\n?</{re.escape(tag)}>", text, re.DOTALL)
    return None if found is None else found[1]
