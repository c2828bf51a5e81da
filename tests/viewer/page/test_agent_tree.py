from typing import Any

from drretail.records.run import Step
from drretail.viewer.page.agent_tree import Research


def step(path: str, seq: int, role: str, name: str = "m", **fields: Any) -> Step:
    kind = "model" if name == "m" else "tool"
    return Step.model_validate({"path": path, "seq": seq, "kind": kind, "role": role, "name": name, **fields})


def launch(seq: int, task: str, error: str | None = None) -> Step:
    return step("0", seq, "supervisor", "LaunchResearcher", args={"sub_problem": task}, error=error)


STEPS = [
    step("0", 0, "supervisor"),
    launch(1, "Find a post"),
    launch(2, "Not launched", error="limit: At most one"),
    launch(3, "Read the web"),
    *(step("0.1", at, "researcher", "m" if at == 0 else "web_search") for at in range(3)),
    step("0.1.1.1", 0, "summariser"),
    step("0.2", 0, "researcher"),
]


def test_agents_stand_below_whoever_launched_them_in_the_order_of_their_launch() -> None:
    (root,) = Research(STEPS).agents()
    assert (root.name, [agent.name for agent in root.launched]) == ("supervisor", ["researcher 1", "researcher 2"])
    assert [agent.task for agent in root.launched] == ["Find a post", "Read the web"]


def test_agents_that_dr3_sends_are_told_by_their_questions() -> None:
    refused = {"file": "none.csv", "question": "Refused?"}
    steps = [
        step("0", 0, "researcher"),
        step("0", 1, "researcher", "read_file", args=refused, error="invalid_argument: There is no file"),
        step("0", 2, "researcher", "search_sandbox", args={"question": "How to clean?"}),
        step("0", 3, "researcher", "read_file", args={"file": "a.csv", "question": "When bought?"}),
        step("0.1", 0, "retriever"),
        step("0.2", 0, "reader"),
    ]
    (root,) = Research(steps).agents()
    assert [(each.name, each.task) for each in root.launched] == [
        ("retriever 1", "How to clean?"),
        ("reader 2", "When bought?"),
    ]
