"""The results of a gate for CI: JUnit's XML, and a table in Markdown such as for GitHub's job summary."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from drretail.records.comparison import GateResult

SUITE = "drretail compare"


def junit(gates: Sequence[GateResult]) -> str:
    """One test case per result: a failure where the rule fails, an error where nobody can tell."""
    states = [gate.state for gate in gates]
    counts = {"tests": len(gates), "failures": states.count("fails"), "errors": states.count("open")}
    suite = Element("testsuite", {"name": SUITE} | {name: str(count) for name, count in counts.items()})
    for gate in gates:
        case = SubElement(suite, "testcase", classname=SUITE, name=_named(gate))
        kind = {"fails": "failure", "open": "error"}.get(gate.state, "system-out")
        result = SubElement(case, kind) if kind == "system-out" else SubElement(case, kind, message=gate.told)
        result.text = f"{gate.state}: {gate.told}"
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def markdown(gates: Sequence[GateResult]) -> str:
    """A row per result."""
    rows = [f"| {gate.state} | `{_named(gate)}` | {gate.told} |".replace("\n", " ") for gate in gates]
    return "\n".join(["| result | rule | why |", "|---|---|---|", *rows, ""]) + "\n"


def _named(gate: GateResult) -> str:
    sides = " beside ".join(filter(None, (gate.a, gate.b)))
    return gate.rule + (f" ({sides}{f', by {gate.judge}' if gate.judge else ''})" if sides else "")
