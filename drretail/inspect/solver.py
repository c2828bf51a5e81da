"""Inspect's own loop over the shop's tools, until a report is handed in."""

from inspect_ai.agent import AgentContinue, AgentState, AgentSubmit, as_solver, react
from inspect_ai.solver import Generate, Solver, TaskState, solver

from drretail.inspect.rollout import rollout_of
from drretail.inspect.shop_tools import submit_tool

IDLE_TURNS = 3
"""So many turns without a call, one after the other, end a sample: a model that only talks would never stop."""


@solver
def shop_agent() -> Solver:
    """Calls the tools that the sample has, and hands a report in: what the model says elsewhere is no report."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = rollout_of(state)
        if rollout is None:
            raise RuntimeError("shop_agent solves samples of drretail/shop_research, whose setup opens their shop.")
        rollout.only_handed_in = True
        submit = AgentSubmit(tool=submit_tool(rollout.hand_in), answer_only=True, keep_in_messages=True)
        loop = react(prompt=None, tools=rollout.tools, submit=submit, on_continue=_while_it_works())
        return await as_solver(loop)(state, generate)

    return solve


def _while_it_works() -> AgentContinue:
    idle = 0

    async def goes_on(state: AgentState) -> bool:
        nonlocal idle
        idle = 0 if state.output.message.tool_calls else idle + 1
        return idle < IDLE_TURNS

    return goes_on
