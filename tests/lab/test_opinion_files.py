"""Opinions out of CSV."""

from pathlib import Path

import pytest

from drretail.errors import UnknownName, UserError
from drretail.lab.opinions import PREFERENCE, SUPPORT, read_all, read_opinions


def written(folder: Path, text: str) -> Path:
    path = folder / "said.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_is_an_opinion_and_a_blank_cell_is_none(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "Rater;Item;Value;Dimension;Query;System\nann;1;7,5;depth;q1;a\nben;1;;depth;q1;a\nj;1;8;depth;q1;a\n",
    )
    ann, judge = read_opinions(path, judges=["j"])
    assert (ann.rater, ann.kind, ann.value, ann.query_id, ann.system) == ("ann", "person", 7.5, "q1", "a")
    assert (judge.kind, judge.question.dimension, judge.question.scale.level) == ("judge", "depth", "interval")


def test_raters_may_have_a_column_each(tmp_path: Path) -> None:
    path = written(tmp_path, "query,doc,name,one,two\nq,1,x,0,3\nq,2,x,1,\n")
    found = read_opinions(path, raters=["one", "two"], item=["query", "doc"])
    assert [(opinion.rater, opinion.item, opinion.value) for opinion in found] == [
        ("one", "q | 1", 0),
        ("two", "q | 1", 3),
        ("one", "q | 2", 1),
    ]
    assert found[0].question.scale.values == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("values", "scale"), [(("full", "none", "contradicted"), SUPPORT), (("a", "tie", "B"), PREFERENCE)]
)
def test_our_own_words_have_their_scale(tmp_path: Path, values: tuple[str, ...], scale: object) -> None:
    rows = "\n".join(f"{at},ann,{value}" for at, value in enumerate(values))
    found = read_opinions(written(tmp_path, f"item,rater,value\n{rows}\n"))
    assert {opinion.question.scale for opinion in found} == {scale}


def test_other_words_have_no_order(tmp_path: Path) -> None:
    found = read_opinions(written(tmp_path, "item,rater,value\n1,ann,good\n2,ann,nan\n"))
    assert {opinion.question.scale.level for opinion in found} == {"nominal"}


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column rater and no value"):
        read_opinions(written(tmp_path, "item,score\n1,2\n"))
    with pytest.raises(UserError, match="no opinion"):
        read_opinions(written(tmp_path, "item,rater,value\n"))
    with pytest.raises(UserError, match="row 3: ann says 2 of 1, and 1 before"):
        read_opinions(written(tmp_path, "item,rater,value\n1,ann,1\n1,ann,2\n"))
    with pytest.raises(UnknownName):
        read_opinions(written(tmp_path, "item,one\n1,2\n"), raters=["two"])


def test_a_judge_may_stand_in_any_of_the_files_and_one_that_stands_in_none_is_told(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    files = [written(one, "item,rater,value\n1,ann,2\n"), written(other, "item,rater,value\n1,gpt,2\n")]
    assert [opinion.kind for opinion in read_all(files, judges=["gpt"])] == ["person", "judge"]
    with pytest.raises(UnknownName, match="no rater"):
        read_all(files, judges=["gpt-5"])
