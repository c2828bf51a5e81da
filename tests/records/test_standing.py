import pytest

from drretail.records.score import in_order, place_of, shared_models


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("react@offline-shopper", "system"),
        ("react+ws@offline-shopper-counterfactual-neutral", "counterfactual"),
        ("null_bestsellers", "floor"),
        ("null_copy-researchers3", "floor"),
        ("oracle", "ceiling"),
        ("oracles@m", "system"),
        ("null_emptyish@m", "system"),
    ],
)
def test_a_label_tells_how_a_system_stands(label: str, place: str) -> None:
    assert place_of(label) == place


def test_floors_come_after_systems_in_their_own_order_and_the_ceiling_last() -> None:
    labels = ["oracle", "null_bestsellers", "z@m", "null_empty", "a@m-counterfactual-swap", "z@m"]
    assert in_order(labels) == ["z@m", "a@m-counterfactual-swap", "null_empty", "null_bestsellers", "oracle"]


def test_only_what_all_systems_with_models_share_is_left_out() -> None:
    assert shared_models(["a@m", "b+ws@m", "b@m-researchers2", "oracle"]) == "@m"
    assert shared_models(["a@m", "b@n"]) == ""
    assert shared_models(["a@m", "b@m2"]) == ""
    assert shared_models(["a@m", "oracle"]) == ""


def test_systems_that_differ_in_options_alone_share_the_model_before_these_and_stand_by_size() -> None:
    labels = ["a@m-5-size-512k", "a@m-5-size-64k", "a@m-5-serper", "b@m-5-without-web", "a@m-5-size-64k-rag_turns8"]
    assert shared_models(labels) == "@m-5"
    assert shared_models(["a@m-5-size-64k", "a@m-4-size-64k"]) == ""
    assert shared_models(["a@m-size-64k", "a@m-temperature1"]) == ""
    assert in_order(labels)[1:4] == ["a@m-5-size-64k", "a@m-5-size-64k-rag_turns8", "a@m-5-size-512k"]
