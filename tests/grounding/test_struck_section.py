"""What the reader is told of what was taken out: in whole quotes, each with its own reasons."""

from drretail.grounding.falling import OF_A_SECTION, OF_WHAT_WAS_STRUCK
from drretail.grounding.struck_section import quoted, with_closing_section
from drretail.records.evidence import Finding


def a_finding(said: str, found: str = "$1.00", code: str = "price_wrong", source: str | None = None) -> Finding:
    return Finding(code=code, severity="error", said=said, found=found, evidence_id=source)


def items(*struck: Finding) -> list[str]:
    listed = with_closing_section("Left.", struck, ["P:A", "P:B"])
    return [line[2:] for line in listed.splitlines() if line.startswith("- ")]


def test_a_quote_keeps_code_and_bars_and_stars() -> None:
    assert quoted(a_finding("Text `has code and` | pipes | at 2*3.")) == "``Text `has code and` | pipes | at 2*3.``"
    assert quoted(a_finding("| **Hose** [P:A] | $4.00 | |")) == "`Hose | $4.00`"
    assert quoted(a_finding("### The **Hose** #3 [P:A]")) == "`The Hose #3`"
    assert quoted(a_finding("`code`")) == "`` `code` ``"


def test_a_statement_with_several_faults_is_listed_once_with_all() -> None:
    said = "It costs $2 and has 3 stars."
    assert items(a_finding(said, source="P:A"), a_finding(said, "4.5", "rating_wrong", "P:A")) == [
        f"`{said}`: the shop's price is $1.00 [P:A]; the shop's rating is 4.5 out of 5 [P:A]."
    ]


def test_what_fell_stands_with_its_own_cause() -> None:
    assert items(
        a_finding("## Hose", "gone", "not_in_catalog"),
        a_finding("Long.", OF_A_SECTION, "not_in_catalog"),
        a_finding("It costs $2.", source="P:A"),
        a_finding("It is cheap.", OF_WHAT_WAS_STRUCK, source="P:A"),
        a_finding("Wet.", OF_A_SECTION, "not_in_catalog"),
        a_finding("Orphan.", OF_A_SECTION, "unwanted_brand", "P:B"),
    ) == [
        "`Hose`: gone; with it went two statements below it.",
        "`It costs $2.`: the shop's price is $1.00 [P:A]; with it went one statement that speaks of it.",
        "`Orphan.`: it was about what was left out.",
    ]


def test_a_quote_of_a_value_alone_is_explained() -> None:
    assert "only its last words" in with_closing_section("Left.", [a_finding("… Hose ($2)")], ())
    assert "only its last words" not in with_closing_section("Left.", [a_finding("The hose ($2).")], ())
