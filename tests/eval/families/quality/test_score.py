from drretail.eval.families.quality.score import VARIANTS, values
from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION
from drretail.records.score import JudgeRef, Verdict, VerdictState

JUDGE = JudgeRef(spec="scripted:test", kind="scripted")
# The paper's Table 2, row ReAct: its Avg is the plain mean of the seven.
REACT = (5.26, 7.18, 5.74, 5.84, 7.22, 7.04, 8.60)


def rated(item: str, value: float | None, state: VerdictState = "scored", reason: str = "Thin.") -> Verdict:
    return Verdict(
        metric="quality",
        version=1,
        stage="rating",
        item=item,
        run_id="a/q1-r1",
        report_sha="s",
        judge=JUDGE,
        state=state,
        value=value,
        reason=reason,
    )


def found(*verdicts: Verdict) -> dict[str, tuple[VerdictState, float | None]]:
    return {value.variant: (value.state, value.value) for value in values(verdicts)}


def test_the_average_is_the_plain_mean_of_the_seven() -> None:
    ratings = found(*(rated(dimension, value) for dimension, value in zip(DIMENSIONS, REACT, strict=True)))
    state, average = ratings["Avg"]
    assert (state, round(average or 0, 2)) == ("scored", 6.70)
    assert round(ratings["Avg_6"][1] or 0, 2) == round((sum(REACT) - 7.04) / 6, 2)
    assert tuple(ratings) == VARIANTS


def test_without_personalization_there_is_no_average_of_seven() -> None:
    six = [rated(dimension, 6) for dimension in DIMENSIONS if dimension != PERSONALIZATION]
    ratings = found(*six, rated(PERSONALIZATION, None, "na"))
    assert ratings["Avg"] == ("na", None)
    assert ratings["Avg_6"] == ("scored", 6.0)


def test_an_average_is_never_made_of_fewer_ratings() -> None:
    ratings = found(rated("clarity", None, "failed"), *(rated(dimension, 9) for dimension in DIMENSIONS[1:]))
    assert ratings["clarity"] == ratings["Avg"] == ratings["Avg_6"] == ("failed", None)
    both = found(rated("clarity", None, "failed"), rated(PERSONALIZATION, None, "na"))
    assert both["Avg"] == ("failed", None)  # what may still get a rating is not settled as na
    assert found(rated("clarity", 9))["depth"] == ("failed", None)  # never judged


def test_a_rating_of_0_is_a_real_0() -> None:
    assert found(*(rated(dimension, 0) for dimension in DIMENSIONS))["Avg"] == ("scored", 0.0)
