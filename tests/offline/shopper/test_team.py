"""The roles of a team: parts, findings, syntheses, the report from them, and its repair."""

import json
import re

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.env.world import World
from drretail.offline.shopper.policy import shop
from drretail.prompts import tagged
from tests.offline.shopper.small_shop import LAMP, MUG, TENT, TUNNEL
from tests.offline.shopper.team import Team, brought, launches, schema

QUERY = "Get four enamel mugs and a rechargeable headlamp for less than $70 in all. How do I dry a wet tent?"
PICKS = "Declare picks."


def test_each_thing_is_a_part_with_its_limits_and_the_questions_are_one(world: World) -> None:
    parts = launches(Team(world).supervise(QUERY))
    assert len(parts) == 3
    assert "enamel mugs" in parts[0]
    assert "headlamp" not in parts[0]
    assert all("$70.00 in total" in part for part in parts[:2])
    assert "How do I dry a wet tent?" in parts[2]


def test_a_report_from_syntheses_picks_what_one_alone_would(world: World) -> None:
    report = Team(world, words=PICKS).play(QUERY)
    assert f"P:{MUG} x 4\nP:{LAMP} x 1" in report
    assert "Dry a wet tent in the shade" in report


def test_the_supervisor_has_the_sum_computed_and_then_ends(world: World) -> None:
    team = Team(world)
    first = [team.synthesise(team.research(part)) for part in launches(team.supervise(QUERY))]
    results = [[brought(it, number) for number, it in enumerate(first, 1)]]
    (part,) = launches(team.supervise(QUERY, results))
    added = team.synthesise(team.research(part))
    assert launches(team.supervise(QUERY, [*results, [brought(added, 4)]])) == []
    assert re.search(r"\$57\.99 \[C:\w+\]", team.write(QUERY, [*first, added]))


def test_a_synthesis_cites_only_what_was_found_and_leaves_open_what_was_not(world: World) -> None:
    team = Team(world)
    report = team.synthesise(team.research("I need a tent and a snowboard."))
    cited = {it for insight in report.insights for it in insight.citations} | {it.evidence for it in report.sources}
    assert cited <= team.evidence
    assert any("snowboard" in it for it in report.open_questions)


def test_notes_in_other_hands_are_read_too(world: World) -> None:
    notes = {"evidence": "P:B0OTHER", "title": "Rover Lantern", "facts": "It costs $12.50, 4.5 stars, 210 reviews."}
    reports = json.dumps([{"researcher": 1, "report": {"sources": [notes]}}])
    given = "\n".join([tagged("query", "I need a lantern under $20."), tagged("reports", reports)])
    report = shop([SystemMessage(PICKS), HumanMessage(given)], []).text
    assert "P:B0OTHER x 1" in report
    assert "$12.50" in report
    assert "4.5 out of 5 from 210 ratings" in report


def test_a_repair_corrects_a_figure_and_leaves_out_what_is_wrong(world: World) -> None:
    draft = (
        f"# Tents\n\nThe dome costs $99.00 [P:{TENT}]. It floats.\n\n"
        f"The tunnel is fine [P:{TUNNEL}].\n\n```picks\nP:{TENT} x 1\nP:{TUNNEL} x 1\n```"
    )
    problems = [
        {
            "code": "price_wrong",
            "said": "$99.00",
            "sentence": f"The dome costs $99.00 [P:{TENT}].",
            "found": "the record says $89.00",
            "evidence_id": f"P:{TENT}",
        },
        {"code": "other", "said": "It floats."},
        {"code": "other", "said": f"The tunnel is fine [P:{TUNNEL}]"},
    ]
    report = repaired("I need a tent.", draft, *problems)
    assert f"The dome costs $89.00 [P:{TENT}]." in report
    assert "floats" not in report
    assert report.endswith(f"```picks\nP:{TENT} x 1\n```")


def test_a_repair_drops_a_wrong_line_of_the_cart_with_all_that_is_said_of_it(world: World) -> None:
    draft = (
        f"# Tents\n\nGet the tunnel [P:{TUNNEL}]. It is light. The dome is dry [P:{TENT}].\n\n"
        f"## The tunnel\n\n- The tunnel stands up [P:{TUNNEL}]\n\n## Both\n\n"
        f"The tunnel [P:{TUNNEL}] is longer than the dome [P:{TENT}].\n\n```picks\nP:{TUNNEL} x 1\nP:{TENT} x 1\n```"
    )
    problem = {
        "code": "unavailable",
        "said": f"P:{TUNNEL} x 1",
        "sentence": f"Get the tunnel [P:{TUNNEL}].",
        "found": "Availability: sold out",
        "evidence_id": f"P:{TUNNEL}",
    }
    assert repaired("I need a boat.", draft, problem) == (
        f"# Tents\n\nIt is light. The dome is dry [P:{TENT}].\n\n## Both\n\n"
        f"The tunnel [P:{TUNNEL}] is longer than the dome [P:{TENT}].\n\n```picks\nP:{TENT} x 1\n```"
    )


def test_a_wrong_number_in_the_cart_is_corrected_there(world: World) -> None:
    draft = f"Get the dome [P:{TENT}].\n\n```picks\nP:{TENT} x 1\n```"
    found = "asked for are 2, declared 1"
    problem = {"code": "quantity_wrong", "said": f"P:{TENT} x 1", "found": found, "evidence_id": f"P:{TENT}"}
    assert repaired("I need two tents.", draft, problem).endswith(f"```picks\nP:{TENT} x 2\n```")


def test_a_want_that_the_cart_leaves_out_takes_nothing_out_of_the_report(world: World) -> None:
    draft = f"Get the dome [P:{TENT}]. I found no snowboard in this shop.\n\n```picks\nP:{TENT} x 1\n```"
    problem = {"code": "want_left_out", "said": "snowboard", "found": "no pick is a snowboard"}
    assert repaired("I need a tent and a snowboard.", draft, problem) == draft


def test_where_its_own_choice_was_wrong_it_chooses_anew(world: World) -> None:
    team = Team(world, words=PICKS)
    query = "I need a tent."
    reports = [team.synthesise(team.research(query))]
    draft = team.write(query, reports)
    (wrong,) = re.findall(r"^(P:\S+) x 1$", draft, re.MULTILINE)
    problem = {"code": "unavailable", "said": f"{wrong} x 1", "found": "Availability: sold out", "evidence_id": wrong}
    tags = [tagged("report", draft), tagged("problems", json.dumps([problem]))]
    again = team.write(query, reports, *tags)
    (other,) = re.findall(r"^(P:\S+) x 1$", again, re.MULTILINE)
    assert other != wrong
    assert f"[{other}]" in again


def repaired(query: str, draft: str, *problems: dict[str, str]) -> str:
    """The answer to a draft with its problems, and to no findings."""
    tags = {"query": query, "reports": "[]", "report": draft, "problems": json.dumps(problems)}
    given = "\n".join(tagged(name, text) for name, text in tags.items())
    return shop([SystemMessage(PICKS), HumanMessage(given)], []).text


def test_a_page_is_summarised_by_its_own_sentences(world: World) -> None:
    page = "Pots rust. Dry a wet tent in the shade. The valley is nice. A wet tent grows mould within two days."
    given = "\n".join([tagged("search", "dry a wet tent"), f'<page title="Tents">\n{page}\n</page>'])
    answer = shop([HumanMessage(given)], schema("PageSummary"), "any").tool_calls[0]["args"]
    assert answer["summary"] == "Dry a wet tent in the shade. A wet tent grows mould within two days."
    assert all(quote in page for quote in answer["quotes"])
