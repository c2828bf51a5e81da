"""The tool that computes."""

from typing import Annotated

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.grounding.report.evidence_ids import calculation_evidence_id, normalise_expression
from drretail.records.evidence import Source
from drretail.tools.arithmetic import MAX_LENGTH, ArithmeticProblem, as_json_number, evaluate
from drretail.tools.tool import ToolResult


def calculator(session: Session, expression: Annotated[str, MinLen(1), MaxLen(MAX_LENGTH)]) -> ToolResult:
    """Computes the exact value of an arithmetic expression, such as the total of a basket.

    Understood are + - * / ** and parentheses, the functions sin, cos, tan (in radians), log (base 10), ln, sqrt and
    abs with their argument in ( ) or { }, and the constants pi and e. Amounts may be written as in $1,299.50.
    Percent signs, variables and comparisons are not understood.

    Args:
        expression: What to compute, e.g. "3 * $12.99 + 4.50" or "sqrt{2} * (1 + 0.08)".

    Returns:
        evidence (the evidence id to cite the calculation by), the expression, and its value as a number, not rounded to
        cents.
    """
    del session
    expression = expression.strip().removesuffix("=").rstrip()
    try:
        value = as_json_number(evaluate(expression))
    except ArithmeticProblem as problem:
        raise ToolError("invalid_argument", str(problem), field="expression") from None
    evidence = calculation_evidence_id(expression)
    source = Source(
        id=evidence,
        kind="calculation",
        key=normalise_expression(expression),
        title=expression,
        form="record",
        text=f"{expression} = {value}",
    )
    return ToolResult({"evidence": evidence, "expression": expression, "value": value}, (source,))
