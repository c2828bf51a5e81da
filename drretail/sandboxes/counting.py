"""How many tokens a page has, by characters or by a tokenizer."""

from collections.abc import Callable
from dataclasses import dataclass

from drretail.env.web.sandbox import SandboxPage
from drretail.errors import UserError

CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text; the name stands in sandbox.json."""

    name: str
    count: Callable[[str], float]

    def of(self, page: SandboxPage) -> float:
        """The tokens of a page, its title included."""
        return self.count(page.title) + self.count(page.text)


BY_CHARACTERS = TokenCounter("characters/4", lambda text: len(text) / CHARACTERS_OF_A_TOKEN)


def counter_of(tokenizer: str | None) -> TokenCounter:
    """The counter for ``--tokenizer``: an encoding of tiktoken such as o200k_base; characters/4 without one.

    Tiktoken itself fetches an encoding that this machine has not used before, so naming one asks for that.
    Raises UserError without the package, for an encoding that it doesn't know, and where fetching fails.
    """
    if tokenizer is None or tokenizer == BY_CHARACTERS.name:
        return BY_CHARACTERS
    try:
        import tiktoken
    except ImportError:
        raise UserError("--tokenizer counts with the package tiktoken, which is not installed.") from None
    if tokenizer not in tiktoken.list_encoding_names():
        raise UserError(f"--tokenizer takes one of {', '.join(tiktoken.list_encoding_names())}, not {tokenizer}.")
    try:
        encoding = tiktoken.get_encoding(tokenizer)
    except OSError as problem:  # requests' errors are OSErrors
        raise UserError(f"The encoding {tokenizer} is not on this machine and can't be fetched: {problem}.") from None
    return TokenCounter(tokenizer, lambda text: len(encoding.encode(text, disallowed_special=())))
