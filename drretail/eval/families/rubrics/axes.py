"""What criteria are sorted by, and as what they are answered."""

from collections.abc import Mapping
from typing import Literal

AXES: Mapping[str, str] = {
    "information": "facts that a good answer has to name",
    "analysis": "what has to be concluded, weighed or explained from them",
    "presentation": "form that makes it usable",
    "explicit": "what the query asks for in words",
    "implicit": "what it takes for granted",
    "synthesis": "what has to be brought together",
    "references": "which sources, and how they are named",
    "communication": "tone and clarity for who asked",
    "instructions": "rules that the query sets",
}
"""The first three are DeepResearch Bench II's, the others ResearchRubrics'. A rubric may have groups of other names:
they count in the whole."""
OWN_AXES = ("information", "analysis", "presentation")
"""Of rubrics that a model makes."""
Kind = Literal["binary", "ternary"]
TERNARY: Kind = "ternary"
"""The kind of a criterion that can be met in part; all others are met or not."""
