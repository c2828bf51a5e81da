"""``drretail import``, and everything that opens an experiment on what it made."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.imports.formats import FORMATS
from drretail.eval.registry import METRICS
from drretail.eval.scores.file import made_scores
from drretail.experiment import read_runs
from drretail.records.reading import Reading
from tests.addons.imports.foreign import CHINESE, REPORT, drb, jsonl, text
from tests.cli.commands import Command, ErrorOf
from tests.cli.conftest import JUDGE

WORDS = "The Alder kettle holds 1.7 litres, as we measured in our lab with cold water. " * 8
ALL = ",".join([*METRICS, "pairwise"])
CLAIMS = """
[[rules]]
schema = "ClaimsAndPicks"
opening_says = "# Kettles"
answer = { structured = { claims = [
  { claim_id = 1, claim = "It holds 1.7 l.", quote = "The Alder holds 1.7 litres", sources = ["1"], values = [] },
  { claim_id = 2, claim = "The Alder is quiet.", quote = "It is quiet", sources = ["2"], values = [] },
  { claim_id = 3, claim = "It costs $39.", quote = "$39", sources = ["1", "https://shop.example/alder"], values = [
    { kind = "price", amount = "39", amount_to = "", currency = "USD", relation = "is", of = ["1"], quote = "$39" },
  ] },
], picks = [
  { product = "3", quantity = 1, alternatives = ["Alder"], quote = "It is quiet" },
] } }

[[rules]]
schema = "ClaimsAndPicks"
answer = { structured = { claims = [], picks = [] } }

[[rules]]
schema = "ClaimsSupport"
answer = { structured = { claims = [
  { claim_id = 1, quotes = ["holds 1.7 litres"], justification = "It says so.", label = "full_support" },
] } }
"""


@pytest.fixture
def imported(succeeds: Command, tmp_path: Path) -> Path:
    """Two systems on two questions, one of their reports empty, one in Chinese; pages of one address are given."""
    drb(tmp_path / "one.jsonl", REPORT, CHINESE)
    drb(tmp_path / "two.jsonl", "Nothing cited. <script>alert(1)</script>", "")
    jsonl(tmp_path / "pages.jsonl", [{"url": "https://lab.example/kettles", "title": "T", "text": WORDS}])
    assert succeeds("import", "drb", "one.jsonl", "--to", "exp", "--pages", "pages.jsonl").stdout.count("one") == 1
    succeeds("import", "drb", "two.jsonl", "--to", "exp")
    (tmp_path / "judge.toml").write_text(CLAIMS + JUDGE, encoding="utf-8")
    return tmp_path / "exp"


def rows(exp: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = made_scores(exp).model_dump(mode="json")["scores"]
    return {(each["system"], each["variant"]): each for each in found if each["policy"] == "answered"}


def test_counts_are_printed_as_a_table_and_as_json(drretail: Command, tmp_path: Path) -> None:
    drb(tmp_path / "one.jsonl", REPORT, CHINESE)
    printed = drretail("import", "drb", "one.jsonl", "--to", "exp").stdout
    assert "unresolved" in printed
    assert "Questions: 2." in printed
    document = json.loads(drretail("import", "drb", "one.jsonl", "--to", "exp", "--json").stdout)
    assert document["systems"] == {"one": {"reports": 2, "citations": 6, "sources": 4, "listed": 5, "unresolved": 1}}
    assert [each["unresolved"] for each in document["reports"]] == [1, 0]
    assert (document["held_already"], document["format"]) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["drbb", "a.jsonl"], "Did you mean"),
        (["pdf", "a.jsonl"], "`markdown` reads"),
        (["drb", "none.jsonl"], "does not exist"),
        (["drb", "other.jsonl"], "holds nothing of this format"),
        (["markdown", "unasked.md"], "write each beside its report: unasked.q"),
        (["markdown", "empty.md"], "There is no text in empty.md: name files that hold reports."),
        (["drb", "a.jsonl", "--pages", "nowhere"], "does not exist"),
        (["drb", "a.jsonl", "--model", "gpt-5"], "write provider:model"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], message: str, drretail: Command, tmp_path: Path) -> None:
    drb(tmp_path / "a.jsonl", "One.")
    text(tmp_path / "empty.md", "\n")
    text(tmp_path / "other.jsonl", '{"name": "x"}\n')
    text(tmp_path / "unasked.md", "The kettle boils.")
    ended = drretail("import", *arguments, "--to", "exp", "-q")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert message in ended.stderr


def test_the_help_names_every_format(drretail: Command) -> None:
    shown = drretail("import", "--help").stdout
    unnamed = [name for name in FORMATS if name not in shown]
    assert unnamed == [], "name each in the help of FORMAT in drretail/addons/imports/commands.py"


def test_a_list_that_nothing_points_to_is_a_warning_and_no_zero(drretail: Command, tmp_path: Path) -> None:
    stated = "The Alder kettle holds 1.7 litres and weighs 900 g. The Birch kettle costs $45."
    sources = "\n\n## Key Citations\n- [Tests](https://lab.example/kettles)\n- https://lab.example/more\n"
    text(tmp_path / "in" / "lost" / "q.md", f"# Kettles?\n\n{stated}{sources}")
    text(tmp_path / "in" / "bare" / "q.md", f"# Kettles?\n\n{stated}\n")
    text(tmp_path / "in" / "marked" / "q.md", f"# Kettles?\n\n{stated}citeturn0search1\n")
    text(tmp_path / "in" / "titled" / "q.md", f"# Kettles?\n\n{stated}\n\nSources used in the report\n\nlab.example\n")
    warning = " ".join(drretail("import", "markdown", "in", "--to", "exp").stdout.split())
    assert "in/lost/q.md, in/marked/q.md, in/titled/q.md: there are marks or a list of sources, and" in warning
    assert "bare/q.md" not in warning
    scored = " ".join(drretail("score", "exp", "--metrics", "faithfulness", "--details").stdout.split())
    assert "the imported report has marks or names sources, and no citation leads to one" in scored
    found = rows(tmp_path / "exp")
    for variant in ("FR", "FR_url", "FP", "N_supported", "N_cited"):
        for system in ("lost", "marked", "titled"):
            assert (found[system, variant]["n_na"], found[system, variant].get("value")) == (1, None), variant
    assert (found["bare", "FR"]["n_scored"], found["bare", "FR"]["value"]) == (1, 0.0)


def test_the_offline_judge_scores_every_metric_and_says_why_the_rest_is_na(succeeds: Command, imported: Path) -> None:
    ended = succeeds("score", "exp", "--metrics", ALL, "--details")
    found = rows(imported)
    for variant in ("covered", "n_wrong", "without_price_wrong", "turns", "pages_seen", "personalization"):
        row = found.get(("one", variant))
        assert row is None or (row["n_na"], row["n_scored"]) == (2, 0), variant
    assert "best basket takes the whole shop" in " ".join(ended.stdout.split())
    assert found["two", "words"]["n_failed"] == 1
    for code in ("url_not_seen", "profile_changed", "personal_data_sent"):
        assert found["one", f"without_{code}"]["n_na"] == 2  # nobody knows what the system read and sent


def test_picks_of_an_imported_report_are_named_by_what_it_cites(drretail: Command, imported: Path) -> None:
    drretail("score", "exp", "--metrics", "reading,checks", "--judge", "scripted:judge.toml")
    (path,) = imported.glob("readings/model*/one/1-r1.json")
    reading = Reading.model_validate_json(path.read_bytes())
    lab, shop = (
        citation.evidence_id
        for run in read_runs(imported)
        if run.run_id == "one/1-r1"
        for citation in run.citations[2:]
    )
    assert reading.picks is not None
    assert [(pick.product, pick.alternatives) for pick in reading.picks] == [(lab, ("Alder",))]
    assert [value.of for value in reading.values] == [(lab,)]
    assert shop != lab
    found = rows(imported)
    assert found["one", "without_pick_not_argued"]["n_scored"] == 1
    of_records = ("not_wanted", "want_left_out", "over_budget", "unavailable", "recommended_although_owned")
    for code in ("no_decision", *of_records):
        assert found["one", f"without_{code}"]["n_scored"] == 0


def test_pages_are_fetched_from_a_file_and_kept_as_a_sandbox(drretail: Command, imported: Path, tmp_path: Path) -> None:
    lacking = drretail("score", "exp", "--metrics", "faithfulness", "--judge", "scripted:judge.toml")
    assert "--fetch-sources" in lacking.stderr
    assert "FP_web_shown" not in lacking.stderr
    exported = drretail("export", "exp", "--format", "sandbox", "--to", "kept.jsonl")
    assert "1 page " in exported.stdout
    drretail("import", "drb", "one.jsonl", "--to", "again")
    fetched = drretail(
        "score", "again", "--metrics", "faithfulness", "--judge", "scripted:judge.toml", "--fetch-sources", "--web",
        "sandbox:kept.jsonl",
    )  # fmt: skip
    assert "of which 1 could be read" in fetched.stderr
    # Of the other report the judge lists no claim, so that its marks count as unsupported.
    assert rows(tmp_path / "again")["one", "FP_web"]["n_scored"] == 2


def test_everything_that_opens_an_experiment_opens_this_one(succeeds: Command, imported: Path) -> None:
    succeeds("score", "exp")
    for arguments in (
        ["report", "exp"],
        ["report", "exp", "--format", "text"],
        ["report", "exp", "--format", "paper"],
        ["report", "exp", "--diff", "one", "two"],
        ["compare", "exp", "one", "two"],
        ["score", "exp", "--estimate"],
        ["score", "exp", "--by", "category"],
        *(["export", "exp", "--format", form] for form in ("drb", "chat", "csv", "dataset")),
    ):
        succeeds(*arguments)
    page = (imported / "report.html").read_text(encoding="utf-8")
    assert "none: the reports are imported" in page
    assert "# Imported reports (drretail import): one, two." in page
    assert "<script>alert(1)" not in page
    assert "of imported reports" in succeeds("report", "exp", "--format", "text").stdout


def test_a_gate_in_the_wrong_direction_is_told_the_word(drretail: Command, error_of: ErrorOf, tmp_path: Path) -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "find", "arguments": "{}"}}]}
    seen = {"role": "tool", "tool_call_id": "c", "content": '{"id": "k", "title": "Kettle", "price": 9}'}
    for name, answer in (("bad", "Take the kettle [P:no-such]."), ("good", "Take the kettle.")):
        said = {"role": "assistant", "content": answer}
        rows = [{"messages": [{"role": "user", "content": f"Which, {at}?"}, call, seen, said]} for at in range(12)]
        jsonl(tmp_path / f"{name}.jsonl", rows)
        assert drretail("import", "chat", f"{name}.jsonl", "--to", name, "--system", "bot").returncode == 0
        assert drretail("score", name, "--metrics", "false_statements").returncode == 0
    gate = ("compare", "bad", "--beside", "good", "--fail-if")
    assert "less is better here: write 'false_answers:rise=.10'." in error_of(*gate, "false_answers:drop=.10")
    assert drretail(*gate, "false_answers:rise=.10").returncode == 4
