"""``drretail doctor``: what works here, what does not, and what mends it. Tests api/doctor.py."""

import json
from functools import partial

import pytest

from tests.cli.commands import Command, sentence
from tests.llm.provider import Provider, Step, answers, fails

SECRET = "sk-very-secret-0123456789"


@pytest.fixture
def doctor(drretail: Command) -> Command:
    return partial(drretail, "doctor")


def test_a_model_is_asked_only_when_it_is_named_and_one_that_refuses_the_key_ends_in_3(doctor: Command) -> None:
    with Provider(answers(), fails(401, f"invalid x-api-key {SECRET}")) as provider:
        where = {"ANTHROPIC_API_KEY": SECRET, "DRRETAIL_BASE_URL": provider.url, "DRRETAIL_MODEL_RETRIES": "0"}
        unasked = doctor(DRRETAIL_BASE_URL=provider.url)
        assert (unasked.returncode, "ANTHROPIC_API_KEY is not set" in unasked.stdout) == (0, True), unasked.stderr
        assert "Everything that is needed works." in unasked.stdout
        assert "'gpt' names no provider" in sentence(
            doctor("--model", "anthropic:claude-sonnet-5", "--model", "gpt", **where)
        )
        assert not provider.seen
        well, refused = (doctor("--model", "anthropic:claude-sonnet-5", **where) for _ in range(2))
        assert len(provider.seen) == 2
    assert (well.returncode, refused.returncode) == (0, 3)
    assert "answers: hello" in well.stdout
    assert "refuses the key in ANTHROPIC_API_KEY" in " ".join(refused.stdout.split())
    assert "continues from here" not in refused.stdout
    assert SECRET not in refused.stdout + refused.stderr


@pytest.mark.parametrize(
    ("step", "state", "is_of_the_address"),
    [
        (fails(429, "slow down"), "slow down", False),
        (Step(body=b"<html>a page</html>"), "broken JSON", True),
    ],
)
def test_the_address_is_doubted_only_after_an_answer_that_is_no_models(
    doctor: Command, step: Step, state: str, is_of_the_address: bool
) -> None:
    with Provider(*[step] * 2) as provider:
        settings = {"DRRETAIL_MODEL_RETRIES": "0", "DRRETAIL_BASE_URL": provider.url}
        asked = doctor("--json", "--model", "anthropic:claude-sonnet-5", ANTHROPIC_API_KEY=SECRET, **settings)
    *signs, sign = json.loads(asked.stdout)["signs"]
    assert (state in sign["found"], "mend" in sign) == (True, is_of_the_address), sign
    assert "ANTHROPIC_API_KEY is set" in [each["found"] for each in signs if each["what"] == "key of anthropic"]
    assert SECRET not in asked.stdout + asked.stderr
