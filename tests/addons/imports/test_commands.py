"""``drretail import``: what imported reports cite, and all that opens what it made. Also tests recording.py."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import Material
from drretail.addons.imports.recording import Imported, cited_sources, record, write_questions
from drretail.errors import UserError
from drretail.eval.judging.subject import resolve_name
from drretail.eval.numbers.file import made_scores
from drretail.eval.registry import METRICS
from drretail.experiments.experiment import SOURCES, kept_accounts, read_definition, read_runs, run_path
from drretail.experiments.run_file import read_evidence
from drretail.progress import Progress
from drretail.querygen.reading import read_queries
from drretail.records.reading import Reading
from tests.addons.imports.foreign import CHINESE, REPORT, drb, jsonl, text
from tests.build import experiment as own_experiment
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
    { kind = "price", of = "1", field = "", quote = "$39" },
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
    jsonl(tmp_path / "pages.jsonl", [{"url": "https://lab.example/kettles", "title": "A kettle", "text": WORDS}])
    assert succeeds("import", "drb", "one.jsonl", "--to", "exp", "--pages", "pages.jsonl").stdout.count("\none ") == 1
    succeeds("import", "drb", "two.jsonl", "--to", "exp")
    (tmp_path / "judge.toml").write_text(CLAIMS + JUDGE, encoding="utf-8")
    return tmp_path / "exp"


def rows(exp: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = made_scores(exp).model_dump(mode="json")["scores"]
    return {(each["system"], each["variant"]): each for each in found}


def test_counts_are_printed_as_a_table_and_as_json(drretail: Command, tmp_path: Path) -> None:
    drb(tmp_path / "one.jsonl", REPORT, CHINESE)
    printed = drretail("import", "drb", "one.jsonl", "--to", "exp").stdout
    assert "not read" in printed
    assert "Questions: 2." in printed
    document = json.loads(drretail("import", "drb", "one.jsonl", "--to", "exp", "--json").stdout)
    counts = {"read": 5, "listed": 4, "not_read": 1, "sources": 4, "unresolved": 0}
    assert document["systems"] == {"one": {"reports": 2, **counts}}
    assert [each["citations"]["not_read"] for each in document["reports"]] == [{"no_address": 1}, {}]
    assert "1 of 6 citations of one could not be read (no address: 1)" in " ".join(printed.split())
    of_rows, of_file, of_reports = document["accounts"]
    assert [kept.document() for kept in kept_accounts(tmp_path / "exp")] == [of_rows, of_file]
    assert (of_rows["used"], of_reports["merged"]["in the experiment already"]["count"], document["format"]) == (
        2,
        2,
        1,
    )


def test_bad_input_is_one_sentence(drretail: Command, tmp_path: Path) -> None:
    drb(tmp_path / "a.jsonl", "One.")
    text(tmp_path / "empty.md", "\n")
    text(tmp_path / "other.jsonl", '{"name": "x"}\n')
    text(tmp_path / "unasked.md", "The kettle boils.")
    for arguments, message in {
        "drbb a.jsonl": "Did you mean",
        "pdf a.jsonl": "`markdown` reads",
        "drb none.jsonl": "does not exist",
        "drb other.jsonl": "holds nothing of this format",
        "markdown unasked.md": "write each beside its report: unasked.q",
        "markdown empty.md": "1 file: no word in it (1, first: empty.md).",
        "drb a.jsonl --pages nowhere": "does not exist",
        "drb a.jsonl --model gpt-5": "write provider:model",
    }.items():
        ended = drretail("import", *arguments.split(), "--to", "exp", "-q")
        assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), arguments
        assert message in ended.stderr, arguments


def test_a_report_of_which_no_citation_is_read_is_a_warning_and_no_zero(drretail: Command, tmp_path: Path) -> None:
    after = {
        "lost": "\n\n## Key Citations\n- [Tests](https://lab.example/kettles)\n- https://lab.example/more",
        "bare": "",
        "marked": "citeturn0search1",
        "read": " [1]\n\n[1] https://lab.example/more",
    }
    for system, ending in after.items():
        text(tmp_path / "in" / system / "q.md", f"# Kettles?\n\nThe Birch kettle costs $45.{ending}\n")
    warned = " ".join(drretail("import", "markdown", "in", "--to", "exp").stdout.split())
    assert (
        "Warning: 1 of 1 citations of marked could not be read (no entry, or several, in a list: 1): in/marked/q.md."
        in warned
    )
    assert "Nothing is concluded from its FP and FR: export the reports again" in warned
    assert "Warning: 1 report without a citation that is read: in/bare/q.md. FR takes them for reports that" in warned
    unread = "1 of 1 citations of marked could not be read (no entry, or several, in a list: 1)."
    board = " ".join(drretail("score", "exp", "--metrics", "faithfulness,false_statements").stdout.split())
    assert f"Nothing is concluded from FP and FR where citations are not read: {unread}" in board
    found = rows(tmp_path / "exp")
    for variant in ("FR", "FP", "N_supported", "N_cited"):
        for system in ("lost", "marked"):
            assert (found[system, variant]["n_na"], found[system, variant].get("value")) == (1, None), variant
    assert (found["bare", "FR"]["n_scored"], found["bare", "FR"]["value"]) == (1, 0.0)
    assert found["marked", "citations_read"]["items"] == {
        **{"citations": 1.0, "listed": 0.0, "read": 0.0},
        "not read: no entry, or several, in a list": 1.0,
    }
    assert found["marked", "false_statements"].get("value") in (None, 0.0), "what is not read accuses nobody"
    compared = " ".join(drretail("compare", "exp", "read", "marked").stdout.split())
    assert unread in compared


def test_the_offline_judge_scores_every_metric_and_says_why_the_rest_is_na(drretail: Command, imported: Path) -> None:
    ended = drretail("score", "exp", "--metrics", ALL, "--details")
    assert ended.returncode == 3, "metrics were named of which nothing could be looked at"
    found = rows(imported)
    for variant in ("covered", "n_wrong", "price_wrong", "turns", "personalization"):
        row = found.get(("one", variant))
        assert row is None or (row["n_na"], row["n_scored"]) == (2, 0), variant
    assert "best basket takes the whole shop" in " ".join(ended.stdout.split())
    assert found["two", "words"]["n_failed"] == 1
    for code in ("url_not_seen", "profile_changed", "personal_data_sent"):
        assert found["one", code]["n_na"] == 2  # nobody knows what the system read and sent


def test_picks_of_an_imported_report_are_named_by_what_it_cites(drretail: Command, imported: Path) -> None:
    drretail("score", "exp", "--metrics", "reading,checks", "--judge", "scripted:judge.toml")
    (path,) = imported.glob("readings/model*/one/1-r1.json")
    reading = Reading.model_validate_json(path.read_bytes())
    lab, shop = (it.evidence_id for run in read_runs(imported) if run.run_id == "one/1-r1" for it in run.citations[2:])
    assert reading.picks is not None
    assert [(pick.product, pick.alternatives) for pick in reading.picks] == [(lab, ("Alder",))]
    assert [value.of for value in reading.values] == [lab]
    assert shop != lab
    found = rows(imported)
    assert found["one", "pick_not_argued"]["n_scored"] == 1
    of_records = ("not_wanted", "want_left_out", "over_budget", "unavailable", "recommended_although_owned")
    for code in ("no_decision", *of_records):
        assert found["one", code]["n_scored"] == 0


def test_everything_that_opens_an_experiment_opens_this_one(
    succeeds: Command, drretail: Command, imported: Path
) -> None:
    succeeds("score", "exp")
    compared = drretail("compare", "exp", "one", "two")
    assert (compared.returncode, compared.stderr) == (3, "1 query left out, no report imported.\n")
    for arguments in (
        ["report", "exp"],
        ["report", "exp", "--format", "paper"],
        ["score", "exp", "--estimate"],
        ["score", "exp", "--by", "category"],
        *(["export", "exp", "--format", form] for form in ("chat", "csv")),
    ):
        succeeds(*arguments)
    page = (imported / "report.html").read_text(encoding="utf-8")
    assert "none: the reports are imported" in page
    assert "# Imported reports (drretail import): one, two." in page
    assert "<script>alert(1)" not in page


def test_spellings_of_an_address_are_one_source_and_products_of_the_shop_evidence_without_a_record() -> None:
    spelt = cited_sources("http://a.example/x https://a.example/x https://www.a.example/x/")
    assert (len(spelt.citations), spelt.cited) == (3, 1)
    found = cited_sources("Take [it](http://ecommerce.com/B000000001), see [P:B000000002].")
    assert [(entry.id, entry.kind, entry.state) for entry in found.evidence] == [("P:B000000001", "product", "error")]
    assert [citation.type for citation in found.citations] == ["product", "unresolved"]


def taken(path: Path, to: Path, form: str = "drb", **given: object) -> Imported:
    return record(load_format(form).read(path), form, to, Progress(), **given)  # pyright: ignore[reportArgumentType]


def test_another_report_by_the_same_system_is_refused_and_nothing_written(tmp_path: Path) -> None:
    taken(drb(tmp_path / "a.jsonl", "One.", "Two."), tmp_path / "exp")
    with pytest.raises(UserError, match="another report by a on 2"):
        taken(drb(tmp_path / "a.jsonl", "One.", "Other."), tmp_path / "exp")
    drb(tmp_path / "in" / "b.jsonl", "New.", "New.")
    drb(tmp_path / "in" / "a.jsonl", "One.", "Other.")
    with pytest.raises(UserError, match="another report by a on 2"):
        taken(tmp_path / "in", tmp_path / "exp")
    assert list(read_definition(tmp_path / "exp").systems) == ["a"]
    assert [run.report for run in read_runs(tmp_path / "exp")] == ["One.", "Two."]


def test_systems_whose_names_differ_in_any_script_or_past_the_80th_letter_stay_apart(tmp_path: Path) -> None:
    file = text(tmp_path / "in" / "solo.md", "# Kettles?\n\nOne.\n")
    names = ["日本", "中国", "Größe", "Grüße", "a" * 90, "a" * 91]
    for name in names:
        record(load_format("markdown").read(file).renamed(name), "markdown", tmp_path / "exp", Progress())
        drb(tmp_path / "rows" / f"{name}.jsonl", "One.")
        text(tmp_path / "folders" / name / "q.md", "# Kettles?\n\nOne.\n")
    labels = sorted(read_definition(tmp_path / "exp").systems)
    assert len(labels) == len(names)
    taken(tmp_path / "rows", tmp_path / "by-file")
    assert sorted(read_definition(tmp_path / "by-file").systems) == labels
    taken(tmp_path / "folders", tmp_path / "by-folder", "markdown")
    assert sorted(read_definition(tmp_path / "by-folder").systems) == labels
    assert resolve_name("system", "Größe", labels) != resolve_name("system", "Grüße", labels)


def test_a_lone_report_is_by_its_folder_as_help_says(succeeds: Command, tmp_path: Path) -> None:
    file = text(tmp_path / "ann" / "solo.md", "# Kettles?\n\nOne.\n")
    assert "\nann " in succeeds("import", "markdown", str(file), "--to", "exp").stdout
    assert "the folder of reports" in " ".join(succeeds("import", "--help").stdout.split())


def test_what_is_two_things_under_one_name_is_refused(tmp_path: Path) -> None:
    taken(drb(tmp_path / "a.jsonl", "One."), tmp_path / "exp")
    other = jsonl(tmp_path / "b.jsonl", [{"id": 1, "prompt": "Else?", "article": "Two."}])
    with pytest.raises(UserError, match="asks something else as '1'"):
        taken(other, tmp_path / "exp")
    rows = [{"id": each, "prompt": f"{each}?", "article": each} for each in ("a1", "A1")]
    with pytest.raises(UserError, match="'a1' and 'A1' are one question"):
        taken(jsonl(tmp_path / "c.jsonl", rows), tmp_path / "two")
    for name in ("a b.jsonl", "a-b.jsonl"):
        drb(tmp_path / "in" / name, "One.")
    with pytest.raises(UserError, match="both be called 'a-b'"):
        taken(tmp_path / "in", tmp_path / "two")
    # also on other questions, in a later import
    taken(drb(tmp_path / "Shop-Bot.jsonl", "One."), tmp_path / "three")
    with pytest.raises(UserError, match="'Shop-Bot' and 'shop bot' would both be called 'shop-bot'"):
        taken(jsonl(tmp_path / "shop bot.jsonl", [{"id": 2, "prompt": "Else?", "article": "Two."}]), tmp_path / "three")


def test_reports_join_an_experiment_of_runs_on_its_own_questions(tmp_path: Path) -> None:
    own = own_experiment(tmp_path / "exp", {"react@m": {"q1-r1": "Own."}})
    same = jsonl(tmp_path / "a.jsonl", [{"id": 1, "prompt": "Ask q1?", "article": "Theirs."}])
    taken(same, own, model="openai:gpt-5")
    definition = read_definition(own)
    assert (sorted(definition.systems), definition.world_fingerprint) == (["a", "react@m"], "f" * 64)
    assert [each.query_id for each in definition.queries_of("a")] == ["q1"]
    assert definition.systems["a"].models["report"].spec == "openai:gpt-5"
    with pytest.raises(UserError, match="own runs do not ask"):
        taken(jsonl(tmp_path / "b.jsonl", [{"id": 1, "prompt": "New?", "article": "Theirs."}]), own)


def test_questions_alone_become_a_file_of_queries(tmp_path: Path) -> None:
    asked = load_format("drb").read(jsonl(tmp_path / "query.jsonl", [{"id": 7, "prompt": "Which kettle?"}]))
    write_questions(asked, "drb", tmp_path / "queries.jsonl")
    (query,) = read_queries(tmp_path / "queries.jsonl")
    assert (query.query_id, query.text, query.mode, query.source) == ("7", "Which kettle?", "task", "import:drb")
    log = [{"question": "A kettle?", "answer": "No.", "user_id": "a@x.example"}, {"question": "A pan?", "answer": ""}]
    chat = load_format("chat").read(jsonl(tmp_path / "log.jsonl", log))
    write_questions(chat, "chat", tmp_path / "asked.jsonl", lambda user: user.partition("@")[0])
    found = [(each.text, each.user_id, each.mode, each.source) for each in read_queries(tmp_path / "asked.jsonl")]
    assert found == [
        ("A kettle?", "a", "profile_aware", "import:chat"), ("A pan?", None, "task", "import:chat"),
    ]  # fmt: skip


def test_reports_find_the_questions_that_were_imported_before(tmp_path: Path) -> None:
    query = {"id": 3, "taskid": 1, "userid": "User1", "task": "Which kettle?", "query": "…User Persona:\nLi"}
    answers = jsonl(tmp_path / "agent.jsonl", [{"id": 3, "taskid": 1, "userid": "User1", "article": REPORT}])
    with pytest.raises(UserError, match="Nothing says what was asked in '3'"):
        taken(answers, tmp_path / "exp", "pdr")
    with pytest.raises(UserError, match="no report and no question to import"):
        record(Material(), "drb", tmp_path / "exp", Progress())
    assert not (tmp_path / "exp").exists()
    taken(jsonl(tmp_path / "queries.jsonl", [query]), tmp_path / "exp", "pdr")
    assert read_definition(tmp_path / "exp").systems == {}
    taken(answers, tmp_path / "exp", "pdr")
    (asked,) = read_definition(tmp_path / "exp").queries_of("agent")
    assert (asked.text, asked.persona, asked.mode) == ("Which kettle?", "Li", "task")


def test_pages_of_a_folder_are_kept_by_address(tmp_path: Path) -> None:
    page = f"<head><title>The Alder kettle</title></head><body><article><p>{WORDS}</p></article></body>"
    text(tmp_path / "pages" / "one.html", f"<html>{page}</html>")
    text(tmp_path / "pages" / "two.md", "Alder, $39.")
    rows = [
        {"url": "http://www.lab.example/kettles", "file": "one.html"},
        {"url": "https://shop.example/alder#x", "file": "two.md"},
        {"url": "https://nobody.example", "file": "two.md"},
        {"url": "https://lab.example/unused", "text": ""},
    ]
    jsonl(tmp_path / "pages" / "index.jsonl", rows)
    came = taken(drb(tmp_path / "a.jsonl", REPORT), tmp_path / "exp", pages=tmp_path / "pages")
    of_pages = came.accounts[-2]
    why = f"no text in it (1, first: {tmp_path}/pages/index.jsonl, line 4)"
    assert (of_pages.came, of_pages.used, of_pages.reasons) == (
        *(4, 2), f"{why}, no report here names it (1, first: https://nobody.example)",
    )  # fmt: skip
    ids = {entry.url: entry.id for entry in read_evidence(run_path(tmp_path / "exp", "a", "1", 1))}
    kept = SOURCES.read(tmp_path / "exp", ids["https://lab.example/kettles"])
    assert kept is not None
    assert (kept.pages[0].state, kept.pages[0].text[:20]) == ("ok", "The Alder kettle hol")


def test_bad_pages_are_told(tmp_path: Path) -> None:
    for rows, match in (
        ([], "holds no page"),
        ([{"url": "https://a.example", "file": "../a.jsonl"}], "outside"),
        ([{"url": "https://a.example", "file": "none.md"}], "does not exist"),
    ):
        jsonl(tmp_path / "pages" / "index.jsonl", rows)
        with pytest.raises(UserError, match=match):
            taken(drb(tmp_path / "a.jsonl", REPORT), tmp_path / "exp", pages=tmp_path / "pages")
        assert not (tmp_path / "exp").exists(), match


@pytest.mark.parametrize("linked", ["reports", "pages"])
def test_a_folder_with_a_link_to_a_file_of_the_readers_is_refused(
    error_of: ErrorOf, tmp_path: Path, linked: str
) -> None:
    (tmp_path / "secret").write_text('{"url": "https://a.example/", "text": "secret"}\n', encoding="utf-8")
    for name in ("reports", "pages"):
        (tmp_path / name).mkdir()
    (tmp_path / "reports" / "one.md").write_text(REPORT, encoding="utf-8")
    link = tmp_path / linked / ("index.jsonl" if linked == "pages" else "two.md")
    link.symlink_to(tmp_path / "secret")
    assert "is a link, pipe or device" in error_of("import", "markdown", "reports", "--pages", "pages", "--to", "exp")
    assert not (tmp_path / "exp").exists()
