"""The seven dimensions of answer quality and the prompt that asks for each (paper section 3.3.2, Tables 10 to 12)."""

import tomllib
from functools import cache
from pathlib import Path

from drretail.prompts import Prompt, load_prompt, tagged

PERSONALIZATION = "personalization"
DIMENSIONS = (
    "clarity",
    "depth",
    "breadth",
    "insightfulness",
    "constraint_following",
    PERSONALIZATION,
    "overall",
)
"""In the order of the paper's Table 2."""


@cache
def prompt_for(dimension: str) -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash names the criterion's wording too."""
    if dimension == PERSONALIZATION:
        return load_prompt(__file__, PERSONALIZATION)
    criterion = tomllib.loads((Path(__file__).parent / "criteria.toml").read_text(encoding="utf-8"))[dimension]
    text = tagged("criterion", f"{criterion['title']}\n{criterion['text'].strip()}")
    return Prompt(dimension, load_prompt(__file__, "rating").text.replace("{{criterion}}", text))
