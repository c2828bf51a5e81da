from drretail.records.run import Step
from drretail.records.trajectory import Trajectory


def step(path: str, seq: int) -> Step:
    return Step(path=path, seq=seq, kind="tool", role="researcher")


def test_steps_stand_in_launch_order_whatever_ended_first() -> None:
    trajectory = Trajectory()
    for place in [("0.10", 0), ("0.9", 1), ("0.9", 0), ("0", 0)]:
        trajectory.add(step(*place))
    assert [(s.path, s.seq) for s in trajectory.steps()] == [("0", 0), ("0.9", 0), ("0.9", 1), ("0.10", 0)]


def test_places_are_counted_within_their_path() -> None:
    trajectory = Trajectory()
    assert [trajectory.reserve(path) for path in ("0", "0", "0.1", "0")] == [0, 1, 0, 2]


def test_equal_texts_are_kept_once_and_told_to_the_listener() -> None:
    events: list[str] = []
    trajectory = Trajectory(lambda _, text: events.append(text))
    sha = trajectory.keep_text("result")
    assert trajectory.keep_text("result") == sha
    trajectory.add(step("0", 0).model_copy(update={"result_sha": sha}))
    assert trajectory.texts() == {sha: "result"}
    assert events == ["result"]
