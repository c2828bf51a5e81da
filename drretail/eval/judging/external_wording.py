"""Prompts for imported reports: the same questions, without a shop and a shopper."""

from collections.abc import Mapping
from dataclasses import replace

from drretail.prompts import Prompt

SHOPPER, USER = "shopper", "user"
PHRASES = (
    (
        "was written by the research assistant of the online shop {{shop_url}} for one of its shoppers, who wants to "
        "decide what to buy and how.",
        "was written for a user who asked the question below.",
    ),
    (
        "Two research assistants of the online shop {{shop_url}} were given the same question by one of its shoppers, "
        "who wants to decide what to buy and how, and each wrote one of the reports below.",
        "Two research assistants were given the same question by a user, and each wrote one of the reports below.",
    ),
    (
        "The list of sources was made by the shop and not by the report's writer: it says what stands behind each "
        "number, of an order also what was bought and when. Sources that the text names in words, such as an order or "
        "a calculation, stand in it as well.",
        "The list of sources was made of them, and says what stands behind each number.",
    ),
    (
        "The lists of sources were made by the shop and not by the reports' writers: they say what stands behind each "
        "number, of an order also what was bought and when. Sources that a text names in words, such as an order or a "
        "calculation, stand in them as well.",
        "The lists of sources were made of them, and say what stands behind each number.",
    ),
    ("What is known of the shopper, in a summary of a history that is longer than it:\n{{profile}}\n\n", ""),
    ("A summary of what is known of the shopper:\n{{profile}}\n\n", ""),
    (
        "One demand holds for every question: what the report directly recommends to buy comes from the catalog of the "
        "shop, whose address the list of sources gives for its products.\n",
        "",
    ),
    (
        "One demand holds for every question: what a report directly recommends to buy comes from the catalog of the "
        "shop, whose address the lists of sources give for its products.\n",
        "",
    ),
    (
        "Products that it directly recommends have to come from the catalog of the online shop at "
        "http://ecommerce.com.\n",
        "",
    ),
    ("recommends various products from elsewhere, or ", "or "),
    ("answers to shoppers' questions", "answers to users' questions"),
    ("personal advice to people who shop", "personal advice"),
    ("various products from elsewhere are recommended, ", ""),
    ("at the prices of the shop's records", "at the prices that its sources give"),
    ("the fields of a shop's record", "the fields of a record"),
    ("repeats the question or the profile", "repeats the question"),
    ("The shop's today, as of", "The day as of"),
    ("The shop's today", "The day"),
    ("a shopping report", "a report"),
    ("a shopping research report", "a research report"),
    (SHOPPER, USER),
)
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
