"""The whole chain with the rule-based judge: reports that deserve nothing get nothing, wrong claims are found."""

from pathlib import Path

import pytest

from drretail.eval.claims.claims import EXTRACT, SUPPORT
from drretail.eval.values import Value
from tests.eval.families.faithfulness.reports import BIRDS_ID, EVIDENCE, judged, offline_judge, subject, values

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
# Each with what is right in its place.
WRONG = [
    ("The Fluffwick Orthopedic Dog Bed costs $39.99", "costs $49.99", "P:B0BED00001"),
    ("The Fluffwick Orthopedic Dog Bed is rated 4.8 out of 5", "is rated 4.5 out of 5", "P:B0BED00001"),
    ("The Fluffwick Orthopedic Dog Bed has 2,345 ratings", "has 1,234 ratings", "P:B0BED00001"),
    ("The Fluffwick bed holds dogs up to 120 pounds", "holds dogs up to 90 pounds", "P:B0BED00001"),
    ("The Slowpaw bowl is suitable for the microwave", "is not suitable for the microwave", "P:B0BOWL0001"),
    ("You bought the Slowpaw Slow Feeder Bowl on 2021-05-31", "on 2023-05-31", "O:0000000001"),
    ("Northern cardinals prefer dried mealworms and fruit", "prefer black oil sunflower seeds", BIRDS_ID),
    ("Oklahoma hosts over 600 backyard species", "hosts over 60 backyard species", BIRDS_ID),
    ("The Barkington bed has a memory foam base", "The Fluffwick bed has a memory foam base", "P:B0BED00001"),
]


def right(wrong: str, instead: str) -> str:
    if instead[0].isupper():
        return instead
    words = wrong.split()
    first = instead.split()[0]
    place = words.index(first) if first in words else None
    return " ".join([*words[:place], instead])


def scores(folder: Path, report: str, query: str = QUERY) -> dict[str, Value]:
    about = subject(report, query=query)
    return values(about, judged(folder, offline_judge(), about))


def test_a_sound_report_is_borne_out(tmp_path: Path) -> None:
    found = scores(tmp_path, GOOD)
    assert [found[name].value for name in ("FP", "FP_web", "FP_product", "FP_internal", "FP_strict")] == [1.0] * 5
    assert [found[name].value for name in ("N_cited", "N_web", "N_product")] == [5.0, 1.0, 4.0]
    assert (found["FR"].value, found["FR_url"].value) == (1, 5 / 6)


def test_a_null_report_has_nothing_to_score(tmp_path: Path) -> None:
    found = scores(tmp_path, "")
    assert {found[name].state for name in ("FP", "FP_strict", "FR", "FR_url")} == {"na"}
    assert found["N_cited"].value == 0


def test_a_copy_of_the_query_claims_nothing(tmp_path: Path) -> None:
    found = scores(tmp_path, QUERY)
    assert (found["FP"].state, found["N_cited"].value) == ("na", 0)
    assert found["FR"].value in (None, 0)


def test_a_list_of_keywords_claims_nothing(tmp_path: Path) -> None:
    found = scores(tmp_path, "dog bed, orthopedic, washable, cheap beds, large\n\nbirds\nfeeders, seeds, best deals")
    assert (found["FP"].state, found["FR"].state, found["N_cited"].value) == ("na", "na", 0)


def test_keywords_behind_a_mark_are_not_borne_out(tmp_path: Path) -> None:
    found = scores(tmp_path, "cat litter, aquarium pumps, gardening gloves, tents [P:B0BED00001]")
    assert found["FP"].value in (None, 0)


def test_uncited_claims_have_no_recall(tmp_path: Path) -> None:
    found = scores(tmp_path, "The Fluffwick bed costs $49.99. Northern cardinals eat sunflower seeds.")
    assert (found["FP"].state, found["FR"].value, found["FR_url"].value) == ("na", 0, 0)


def test_a_report_for_another_user_is_not_borne_out_by_this_ones_orders(tmp_path: Path) -> None:
    report = "You bought the Brewhaus Coffee Grinder on 2022-01-02 [O:0000000001]. You live in Boston [U:profile]."
    found = scores(tmp_path, report)
    assert found["FP_internal"].value in (0, 0.5)
    assert found["FP_internal"].items["unresolved"] == 1


def test_invented_sources_count_against_strict_precision_and_recall(tmp_path: Path) -> None:
    found = scores(tmp_path, "The Fluffwick bed costs $49.99 [P:INVENTED01].")
    assert (found["FP"].state, found["FP_strict"].value, found["FR"].value) == ("na", 0, 0)


@pytest.mark.parametrize(("wrong", "instead", "source"), WRONG)
def test_a_wrong_claim_is_not_supported_the_right_one_is(tmp_path: Path, wrong: str, instead: str, source: str) -> None:
    for folder, claim, full in (("wrong", wrong, False), ("right", right(wrong, instead), True)):
        about = subject(f"{claim} [{source}].")
        verdicts = judged(tmp_path / folder, offline_judge(), about)
        (verdict,) = [verdict for verdict in verdicts if verdict.stage == SUPPORT]
        assert (verdict.value == 1) is full, (claim, verdict.value, verdict.reason)
        assert verdict.value in (0, 0.5, 1)


def test_every_quote_of_the_rule_based_judge_stands_in_its_source(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, offline_judge(), subject(GOOD))
    quotes = [(verdict.quote, verdict.sources) for verdict in verdicts if verdict.stage == SUPPORT]
    texts = {text.sha256: text.text for entry in EVIDENCE.values() for text in entry.texts}
    assert all(quote and any(quote in texts[source.sha256] for source in sources) for quote, sources in quotes)
    assert not any("quote_dropped" in verdict.notes for verdict in verdicts)


def test_every_claim_of_the_rule_based_judge_has_its_place(tmp_path: Path) -> None:
    (verdict,) = [it for it in judged(tmp_path, offline_judge(), subject(GOOD)) if it.stage == EXTRACT]
    assert all(GOOD[it["start"] : it["end"]] == it["quote"] for it in verdict.value)
