"""The question for each of the dimensions in which two reports are compared (paper Appendix C, Table 13)."""

import tomllib
from functools import cache
from pathlib import Path

from drretail.eval.judging.dimensions import DIMENSIONS, criterion_of
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Rules


@cache
def criteria() -> dict[str, dict[str, str]]:
    """By dimension its ``title``, the ``text`` of what it compares, and for some how ``picks`` belong to it."""
    return tomllib.loads((Path(__file__).parent / "criteria.toml").read_text(encoding="utf-8"))


def prompt_for(dimension: str, rules: Rules = "default") -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash names the criterion's wording too.

    That of the paper's rules offers A and B alone.
    """
    name = "comparing_paper" if rules == "paper" else "comparing"
    text = load_prompt(__file__, name).text.replace("{{criterion}}", criterion_of(criteria()[dimension], rules))
    return Prompt(dimension, text, load_prompt(__file__, "shared").text)


def prompts(rules: Rules) -> dict[str, Prompt]:
    """By dimension, as they are worded now."""
    return {dimension: prompt_for(dimension, rules) for dimension in DIMENSIONS}
