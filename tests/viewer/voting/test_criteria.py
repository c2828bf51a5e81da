"""People are asked by the very definitions that judges are given."""

from drretail.eval.families.pairwise.judge import criteria as pairwise_criteria
from drretail.eval.families.quality.score import criteria
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.viewer.voting.criteria import label_question, pair_questions, rating_questions, support_rules


def test_every_dimension_is_asked_in_the_judges_words() -> None:
    for questions, held in ((pair_questions, pairwise_criteria()), (rating_questions, criteria())):
        asked = questions(with_profile=True, with_picks=True)
        assert [query.name for query in asked] == [*DIMENSIONS]
        for query in asked:
            assert all(line in "\n".join(query.definition) for line in held[query.name]["text"].strip().splitlines())


def test_labels_of_claims_mean_what_the_judges_prompt_says() -> None:
    meanings = {option.value: option.meaning for option in label_question().options}
    assert list(meanings) == ["full", "partial", "none", "contradicted"]
    assert "all that is part of the test" in meanings["full"]
    assert "otherwise" in meanings["contradicted"]
    assert support_rules()[0].startswith("Reports read fluently")
    assert not any("{{" in line or "label" in line.casefold() for line in support_rules())
