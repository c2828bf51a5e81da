"""How judges' prompts are worded: the seven dimensions of answer quality (paper Table 2), and for imported reports the
same questions without a shop and a shopper.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from drretail.llm.prompt import Prompt, load_prompt, load_table, tagged

PERSONALIZATION = "personalization"
DIMENSIONS = (
    "clarity",
    "depth",
    "breadth",
    "insight",
    "constraints",
    PERSONALIZATION,
    "overall",
)
"""In the order of the paper's Table 2."""
PRIMARY = "overall"
"""The dimension by which systems are selected."""


def criterion_of(criterion: dict[str, str]) -> str:
    """The criterion in a tag, followed by a placeholder for the picks if they count."""
    block = tagged("criterion", f"{criterion['title']}\n{criterion['text'].strip()}")
    return f"{block}\n{criterion['picks'].strip()}\n{{{{picks}}}}" if "picks" in criterion else block


def published_criteria() -> dict[str, dict[str, str]]:
    """By dimension, the ``title`` and the ``text`` of its criterion under the paper's rules (Tables 10 and 11)."""
    return load_table(__file__, "criteria_paper")


def published_prompt(path: str, name: str, dimension: str) -> Prompt:
    """A whole prompt of the paper's rules with its criterion filled in (Tables 11 to 13).

    The criterion stands where the paper has it, before the data, so that the dimensions share no beginning.
    """
    criterion = published_criteria()[dimension]
    text = load_prompt(path, name).text.replace("{{criterion_name}}", criterion["title"])
    return Prompt(dimension, text.replace("{{criterion_description}}", criterion["text"].strip()))


def unjustified(answer: Any) -> str | None:
    """What is wrong with an answer without a reason, or None."""
    return None if answer.justification.strip() else "justification: it is empty; name what your decision rests on"


SHOPPER, USER = "shopper", "user"
PHRASES: Sequence[tuple[str, str]] = tomllib.loads(
    Path(__file__).with_name("external_wording.toml").read_text("utf-8")
)["phrases"]
"""Phrases about our shop and its shoppers, and their replacements; longer phrases first."""


def neutral(prompt: Prompt) -> Prompt:
    """The prompt without shop and shopper. In a user's own version of a prompt, only packaged phrases are replaced."""
    return replace(prompt, shared=without_shop(prompt.shared), text=without_shop(prompt.text))


def without_shop(text: str) -> str:
    """The text without shop and shopper."""
    for ours, elsewhere in PHRASES:
        text = text.replace(ours, elsewhere)
    return text


def values_for(prompt: Prompt, values: Mapping[str, str]) -> dict[str, str]:
    """The values for which the prompt still has a placeholder."""
    return {name: value for name, value in values.items() if f"{{{{{name}}}}}" in prompt.shared + prompt.text}
