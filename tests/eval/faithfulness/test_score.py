"""Every formula of faithfulness against values worked out by hand."""

from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.faithfulness import METRIC
from drretail.eval.faithfulness.extraction import ALL, CITED, Claim, make_claim, source_type, units
from drretail.eval.metric import Value
from drretail.records.score import JudgeRef, Rules, Verdict, VerdictState
from tests.eval.faithfulness.reports import subject, values

REF = JudgeRef(spec="scripted:x", kind="scripted")
Outcome = float | str
"""Support, or the state of a unit without one."""


def verdict(stage: str, item: str, state: VerdictState, value: object = None, notes: Sequence[str] = ()) -> Verdict:
    return Verdict(
        metric="faithfulness",
        version=1,
        stage=stage,
        item=item,
        run_id="a/q1-r1",
        report_sha="r",
        judge=REF,
        prompt_hash="p",
        state=state,
        value=value,
        notes=tuple(notes),
    )


def extraction(stage: str, claims: Sequence[Claim] | None) -> Verdict:
    if claims is None:
        return verdict(stage, "report", "failed")
    return verdict(stage, "report", "scored", [claim.model_dump(mode="json") for claim in claims])


def scored(
    cited: Sequence[tuple[Claim, Mapping[str, Outcome]]] | None,
    every: Sequence[Claim] | None = (),
    rules: Rules = "default",
) -> dict[str, Value]:
    """The values of a report whose cited claims have these outcomes by type, and which has ``every`` claim."""
    verdicts = [extraction(CITED, None if cited is None else [it for it, _ in cited]), extraction(ALL, every)]
    for it, outcomes in cited or ():
        for kind, outcome in outcomes.items():
            item = f"{it.claim_id}:{kind}"
            if isinstance(outcome, str):
                verdicts.append(verdict("support", item, "failed" if outcome == "failed" else "unverifiable"))
            else:
                verdicts.append(verdict("support", item, "scored", outcome))
    return values(subject("A report."), verdicts, rules)


def cites(number: int, *sources: str, unresolved: Sequence[str] = ()) -> Claim:
    return make_claim(number, f"Claim {number}.", sources, unresolved)


def over_all(variant: str, reports: Sequence[Mapping[str, Value]]) -> float | None:
    """The mean of the variant's parts, each a sum over reports by a sum over reports."""
    parts = zip(*(METRIC.pooled(variant, report) for report in reports), strict=True)
    sums = [(sum(above for above, _ in part), sum(below for _, below in part)) for part in parts]
    return None if any(not below for _, below in sums) else sum(a / b for a, b in sums) / len(sums)


WEB, PRODUCT, ORDER = "W:aaaaaaaa", "P:B0BED00001", "O:0000000001"


def got(found: Mapping[str, Value], *names: str) -> list[tuple[VerdictState, float | None]]:
    return [(found[name].state, found[name].value) for name in names]


def test_the_headline_is_the_mean_over_the_types_that_a_report_has() -> None:
    found = scored(
        [
            (cites(1, WEB), {"web": 1.0}),
            (cites(2, WEB, PRODUCT), {"web": 0.0, "product": 1.0}),
            (cites(3, PRODUCT), {"product": 0.5}),
            (cites(4, PRODUCT), {"product": 0.0}),
            (cites(5, ORDER), {"internal": 1.0}),
        ]
    )
    # web (1 + 0) / 2, product (1 + .5 + 0) / 3; pooled 2.5 / 5
    assert got(found, "FP_web", "FP_product", "FP_internal") == [("scored", 0.5), ("scored", 0.5), ("scored", 1.0)]
    assert got(found, "FP", "FP_pooled", "FP_strict", "FP_eq2_report") == [("scored", 0.5)] * 4
    assert got(found, "N_cited", "N_web", "N_product") == [("scored", 5.0), ("scored", 2.0), ("scored", 3.0)]
    items = found["FP"].items
    assert (items["units"], items["scored"], items["support"]) == (5, 5, 2.5)
    assert (items["full"], items["partial"], items["none"], items["claims"]) == (2, 1, 2, 5)


def test_the_example_of_the_documentation_holds() -> None:
    found = scored(
        [
            (cites(1, WEB), {"web": 1.0}),
            (cites(2, WEB, PRODUCT), {"web": "unverifiable", "product": 1.0}),
            (cites(3, PRODUCT), {"product": 0.5}),
            (cites(4, PRODUCT), {"product": 0.0}),
        ]
    )
    assert [found[name].value for name in ("FP_web", "FP", "FP_pooled", "FP_strict")] == [1.0, 0.75, 2.5 / 4, 0.5]


def test_a_report_with_one_type_has_that_types_value_as_its_headline() -> None:
    found = scored([(cites(1, WEB), {"web": 0.5}), (cites(2, WEB), {"web": 1.0})])
    assert got(found, "FP", "FP_web", "FP_pooled") == [("scored", 0.75)] * 3
    assert got(found, "FP_product", "FP_internal", "FP_eq2_report") == [("na", None)] * 3
    assert found["N_product"].value == 0


def test_headline_and_pooled_differ_when_the_types_are_of_unequal_size() -> None:
    found = scored(
        [(cites(1, WEB), {"web": 0.0}), *((cites(n, PRODUCT), {"product": 1.0}) for n in (2, 3, 4))],
    )
    assert got(found, "FP", "FP_pooled") == [("scored", 0.5), ("scored", 0.75)]


def test_unverifiable_units_leave_precision_and_count_as_zero_only_in_strict() -> None:
    found = scored([(cites(1, WEB), {"web": 1.0}), (cites(2, "W:bbbbbbbb"), {"web": "unverifiable"})])
    assert got(found, "FP", "FP_web", "FP_strict") == [("scored", 1.0), ("scored", 1.0), ("scored", 0.5)]
    assert found["FP_web"].items["unverifiable"] == 1
    assert found["N_web"].value == 2


def test_unresolved_sources_are_no_units_but_zeros_in_strict() -> None:
    found = scored(
        [
            (cites(1, PRODUCT, unresolved=["P:INVENTED01"]), {"product": 1.0}),
            (cites(2, unresolved=["7"]), {}),
            (cites(3, unresolved=["O:1"]), {}),
        ]
    )
    assert got(found, "FP", "FP_product", "N_cited") == [("scored", 1.0), ("scored", 1.0), ("scored", 1.0)]
    # product (1 + 0) / 2, web 0 / 1: a number without an entry counts as web; orders are outside FP
    assert found["FP_strict"].value == 0.25
    assert found["FP"].items["unresolved"] == 2


def test_failed_units_leave_the_value_and_are_counted() -> None:
    found = scored(
        [(cites(1, WEB), {"web": 1.0}), (cites(2, WEB), {"web": "failed"}), (cites(3, WEB), {"web": "failed"})]
    )
    assert got(found, "FP", "FP_strict") == [("scored", 1.0), ("scored", 1.0)]
    assert found["FP"].items["failed"] == 2


@pytest.mark.parametrize(
    ("outcomes", "state", "strict"),
    [
        ([], "na", ("na", None)),
        (["unverifiable"], "unverifiable", ("scored", 0.0)),
        (["failed"], "failed", ("failed", None)),
        (["unverifiable", "failed"], "failed", ("failed", None)),
    ],
)
def test_a_report_without_a_scored_unit_is_never_zero(
    outcomes: list[str], state: VerdictState, strict: tuple[VerdictState, float | None]
) -> None:
    found = scored([(cites(n, f"W:aaaaaaa{'abc'[n]}"), {"web": it}) for n, it in enumerate(outcomes)])
    assert got(found, "FP", "FP_web", "FP_pooled", "FP_eq2") == [(state, None)] * 4
    assert got(found, "FP_strict") == [strict]


def test_recall_counts_pages_and_products_and_recall_all_also_internal_sources() -> None:
    every = [cites(1, WEB), cites(2, PRODUCT, ORDER), cites(3, ORDER), cites(4), cites(5, unresolved=["P:INVENTED01"])]
    found = scored([], every)
    assert got(found, "FR", "FR_all", "FR_pooled") == [("scored", 0.4), ("scored", 0.6), ("scored", 0.4)]
    assert found["FR"].items == {"cited": 2, "total": 5}


def test_no_claim_at_all_is_not_applicable_and_claims_without_a_source_are_a_real_zero() -> None:
    assert got(scored([], []), "FR", "FR_all", "FP") == [("na", None)] * 3
    assert got(scored([], [cites(1)]), "FR", "FR_all") == [("scored", 0.0)] * 2
    assert scored([], [])["N_cited"].value == 0


def test_a_failed_extraction_fails_only_what_needs_it() -> None:
    without_cited = scored(None, [cites(1, WEB)])
    assert got(without_cited, "FP", "FP_strict", "N_cited", "FR") == [("failed", None)] * 3 + [("scored", 1.0)]
    without_all = scored([(cites(1, WEB), {"web": 1.0})], None)
    assert got(without_all, "FP", "FR", "FR_all", "FR_pooled") == [("scored", 1.0)] + [("failed", None)] * 3


def test_a_run_without_report_and_one_never_judged_are_failed_in_every_variant() -> None:
    for about, verdicts in ((subject(None), []), (subject("A report."), list[Verdict]())):
        assert {value.state for value in METRIC.values(about, verdicts, "default")} == {"failed"}


def test_every_report_has_every_variant_in_the_tables_order() -> None:
    rules: tuple[Rules, ...] = ("default", "paper", "drg")
    for rule in rules:
        # The rules drg know no live pages.
        known = [variant for variant in METRIC.variants() if rule != "drg" or variant != "FP_web_live"]
        assert list(scored([], [], rule)) == known
    assert METRIC.pooled_variants() < set(METRIC.variants())


def test_eq2_halves_the_two_means_over_reports_and_pooled_adds_all_units() -> None:
    reports = [
        scored([(cites(1, WEB), {"web": 1.0})], [cites(1, WEB)]),
        scored(
            [
                (cites(1, PRODUCT), {"product": 0.5}),
                (cites(2, PRODUCT), {"product": 0.0}),
                (cites(3, WEB), {"web": 0.0}),
            ],
            [cites(1, PRODUCT), cites(2), cites(3)],
        ),
        scored([], []),
        scored(None, None),
    ]
    # The web column is the mean of 1 and 0, the product column .25.
    assert over_all("FP_eq2", reports) == 0.375
    assert over_all("FP_pooled", reports) == 1.5 / 4
    assert over_all("FR_pooled", reports) == 2 / 4
    assert over_all("FP_eq2", reports[:1]) is None
    assert over_all("FP_pooled", reports[2:]) is None
    with pytest.raises(KeyError):
        METRIC.pooled("FP", reports[0])


def test_drg_counts_failures_and_silence_as_zero() -> None:
    found = scored(
        [(cites(1, WEB, PRODUCT), {"all": 1.0}), (cites(2, WEB), {"all": "failed"}), (cites(3, ORDER), {})],
        [cites(1, WEB), cites(2)],
        "drg",
    )
    assert got(found, "FP", "FR", "FP_web") == [("scored", 0.5), ("scored", 0.5), ("na", None)]
    silent = scored([], [], "drg")
    assert got(silent, "FP", "FR") == [("scored", 0.0), ("scored", 0.0)]
    assert over_all("FP_pooled", [found]) == 0.5


def test_a_claim_has_one_unit_for_each_type_and_under_drg_one_in_all() -> None:
    claim = cites(1, WEB, PRODUCT, ORDER, "https://a.example/x", unresolved=["http://ecommerce.com/NOPE"])
    assert [(unit.type, unit.sources) for unit in units(claim, "default")] == [
        ("web", (WEB, "https://a.example/x")),
        ("product", (PRODUCT,)),
        ("internal", (ORDER,)),
    ]
    (one,) = units(claim, "drg")
    assert one.sources == (WEB, PRODUCT, "https://a.example/x", "http://ecommerce.com/NOPE")
    assert units(cites(2, ORDER), "drg") == []


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("P:B0X", "product"),
        ("http://ecommerce.com/B0X", "product"),
        ("http://www.ecommerce.com/B0X", "product"),
        ("http://ecommerce.com.evil.example/B0X", "web"),
        ("W:aaaaaaaa", "web"),
        ("https://a.example/x", "web"),
        ("7", "web"),
        ("U:orders", "internal"),
        ("C:aaaaaaaa", "internal"),
    ],
)
def test_a_sources_type_shows_in_its_form(source: str, kind: str) -> None:
    assert source_type(source) == kind


@given(
    st.lists(
        st.tuples(st.sampled_from(["web", "product"]), st.sampled_from([0.0, 0.5, 1.0, "failed", "unverifiable"])),
        max_size=8,
    )
)
def test_precision_stays_in_bounds_and_strict_is_never_higher(outcomes: list[tuple[str, Outcome]]) -> None:
    found = scored(
        [(cites(n, WEB if kind == "web" else PRODUCT), {kind: outcome}) for n, (kind, outcome) in enumerate(outcomes)]
    )
    assert sum(found["FP"].items[name] for name in ("scored", "unverifiable", "failed")) == len(outcomes)
    for kind in ("FP_web", "FP_product", "FP"):
        value, state = found[kind].value, found[kind].state
        assert (value is None) == (state != "scored")
        assert value is None or 0 <= value <= 1
    for kind in ("web", "product"):
        value = found[f"FP_{kind}"].value
        assert value is None or value == pytest.approx(_mean(o for k, o in outcomes if k == kind))


def _mean(outcomes: Iterable[Outcome]) -> float:
    numbers = [outcome for outcome in outcomes if isinstance(outcome, float)]
    return sum(numbers) / len(numbers)


def test_a_report_that_was_not_judged_to_the_end_has_no_precision() -> None:
    found = scored([(cites(1, WEB), {"web": 1.0}), (cites(2, WEB), {})])
    assert got(found, "FP", "FP_web", "FP_pooled") == [("failed", None)] * 3
