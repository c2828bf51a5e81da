"""The whole chain with the rule-based judge: reports that deserve nothing get nothing, wrong claims are found."""

from pathlib import Path

import pytest

from drretail.eval.values import Value
from tests.eval.families.faithfulness.reports import BIRDS_ID, judged, offline_judge, subject, values

QUERY = "I need a washable dog bed under $50 for my senior labrador. Which one should I get, and what do birds eat?"
GOOD = f"""# A bed for a labrador

The **Fluffwick Orthopedic Dog Bed** costs $49.99 [P:B0BED00001].
It is rated 4.5 out of 5 from 1,234 ratings [P:B0BED00001].

- Its cover is removable and machine washable [P:B0BED00001].
- Northern cardinals prefer black oil sunflower seeds [{BIRDS_ID}].

| Product | Price | Rating |
|---|---|---|
| Slowpaw Slow Feeder Bowl, Blue [P:B0BOWL0001] | $12.50 | 4.1 |

On 2023-05-31 you bought the Slowpaw Slow Feeder Bowl [O:0000000001]. Which one do you like? I would wait a week.
"""


def scores(folder: Path, report: str, query: str = QUERY) -> dict[str, Value]:
    about = subject(report, query=query)
    return values(about, judged(folder, offline_judge(), about))


BORNE_OUT = dict.fromkeys(("FP", "FP_web", "FP_product", "FP_internal", "FP_strict"), 1.0)
KEYWORDS = "dog bed, orthopedic, washable, cheap beds, large\n\nbirds\nfeeders, seeds, best deals"


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (GOOD, {**BORNE_OUT, "N_cited": 5.0, "N_web": 1.0, "N_product": 4.0, "FR": 1, "FR_url": 5 / 6}),
        ("", {**dict.fromkeys(("FP", "FP_strict", "FR", "FR_url"), "na"), "N_cited": 0}),
        (QUERY, {"FP": "na", "N_cited": 0}),
        (KEYWORDS, {"FP": "na", "FR": "na", "N_cited": 0}),
        ("The Fluffwick bed costs $49.99. Cardinals eat sunflower seeds.", {"FP": "na", "FR": 0, "FR_url": 0}),
        ("The Fluffwick bed costs $49.99 [P:INVENTED01].", {"FP": "na", "FP_strict": 0, "FR": 0}),
    ],
    ids=["sound", "empty", "copy of the query", "keywords", "uncited", "invented source"],
)
def test_a_report_gets_what_it_deserves(tmp_path: Path, report: str, expected: dict[str, float | str]) -> None:
    found = {
        name: score.state if score.value is None else score.value for name, score in scores(tmp_path, report).items()
    }
    assert {name: found[name] for name in expected} == expected
