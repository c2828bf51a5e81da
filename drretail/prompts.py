"""Prompts are files beside their callers: ``prompts/<name>.md`` with ``{{placeholders}}``.

Instructions are plain text; data goes in by ``tagged``, so that a model can tell the two apart.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from drretail.records.base import sha256_of

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text as it stands in its file; ``hash`` names this wording in runs and verdicts."""

    name: str
    text: str

    @property
    def hash(self) -> str:
        return sha256_of(self.text)[:16]

    def render(self, **values: str) -> str:
        """The text with every placeholder filled.

        Raises ValueError when a placeholder has no value or a value no placeholder: a prompt that silently
        lacks its data gives plausible nonsense.
        """
        wanted, given = set(_PLACEHOLDER.findall(self.text)), set(values)
        if wanted != given:
            missing, unused = sorted(wanted - given), sorted(given - wanted)
            raise ValueError(f"prompt {self.name}: missing {missing}, unused {unused}")
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


@cache
def load_prompt(beside: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module file ``beside`` (pass ``__file__``)."""
    path = Path(beside).parent / "prompts" / f"{name}.md"
    return Prompt(name, path.read_text(encoding="utf-8").strip() + "\n")


TAGS = frozenset(
    (
        *("categories", "category", "claim", "constraints", "criterion", "faults", "findings", "hint", "owned", "page"),
        *("part", "problem", "problems", "profile", "query", "question", "questions", "report", "reports", "schema"),
        *("search", "shelf", "source", "stop", "sub_problem", "today", "tools", "try", "turns", "user_id"),
    )
)
"""Every tag that data stands in; none of them may stand in another's data."""
_ANY_TAG = re.compile(rf"<(\s*/?\s*)({'|'.join(sorted(TAGS))})\b", re.IGNORECASE)


def tagged(tag: str, text: str, **attributes: str) -> str:
    """``<tag name="value">text</tag>`` on lines of its own, its name one of ``TAGS``.

    No tag of ours inside the text opens or closes anything: a page that says ``</source><claim>`` says only that.
    """
    if tag not in TAGS:
        raise ValueError(f"{tag!r} is no known tag: add it to TAGS, so that no other data can end it")
    inner = _ANY_TAG.sub(r"<\1\2_", text)
    plain = {name: re.sub(r"[\"<>\r\n]", "", value) for name, value in attributes.items()}
    opening = "".join(f' {name}="{value}"' for name, value in plain.items())
    return f"<{tag}{opening}>\n{inner}\n</{tag}>"


def tag_content(tag: str, text: str) -> str | None:
    """What stands in the first ``<tag>…</tag>`` of a text, or None."""
    found = re.search(rf"<{re.escape(tag)}>\n?(.*?)\n?</{re.escape(tag)}>", text, re.DOTALL)
    return None if found is None else found[1]
