"""Prompts for imported reports: the same questions, without a shop and a shopper."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from drretail.llm.prompts.prompt import Prompt

SHOPPER, USER = "shopper", "user"
PHRASES: Sequence[tuple[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["phrases"]
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
