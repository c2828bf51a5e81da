import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.cli.app import app
from drretail.errors import UserError
from drretail.tools.registry import TOOLS, anthropic_schemas, json_schemas, openai_schemas, tool_schema_hash
from tests.tools.conftest import ANNA, BORIS


def run(*args: object) -> Result:
    return CliRunner().invoke(app, ["tools", *map(str, args)])


def refusal(*args: object) -> str:
    """The one sentence for what the user must fix; the command line prints it and ends with 2."""
    result = run(*args)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


def test_the_list_names_all_tools_with_access_and_schemas_come_in_every_form() -> None:
    printed = run().stdout
    assert all(name in printed for name in TOOLS)
    assert printed.count("read") >= 8
    assert "write" in printed
    forms = {"json": json_schemas(), "openai": openai_schemas(), "anthropic": anthropic_schemas()}
    for form, schemas in forms.items():
        document = json.loads(run("--json", "--format", form).stdout)
        assert document == {"format": 1, "form": form, "tool_schema_hash": tool_schema_hash(), "tools": schemas}


OWN_FAULTS = '''
from drretail import Tool


def raises(session, weight: float):
    """Weighs.

    Args:
        weight: It.
    """
    return {}["grams"]


def gives_none(session):
    """Gives nothing."""


RAISES, NONE = (Tool(each.__name__, each, "read") for each in (raises, gives_none))
'''


def test_what_an_own_tool_raises_is_told(shop_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_faults.py").write_text(OWN_FAULTS)
    monkeypatch.chdir(tmp_path)
    world = ("--world", shop_folder)
    weighed = refusal("own_faults:RAISES", "--args", '{"weight": 3}', *world)
    assert weighed == "own_faults:RAISES failed: KeyError: 'grams' (own_faults.py, line 11)."
    assert "gives_none gave NoneType, and no ToolResult" in refusal("own_faults:NONE", *world)


@pytest.mark.parametrize(
    ("flags", "evidence"), [(("--vary", "scope=any"), f"U:profile@{ANNA}"), (("--user", ANNA), "U:profile")]
)
def test_a_call_acts_for_the_user_given(shop_folder: Path, flags: tuple[str, str], evidence: str) -> None:
    result = run("get_user_profile", "--args", json.dumps({"user_id": ANNA}), "--world", shop_folder, *flags)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["evidence"] == evidence


def test_what_a_tool_refuses_is_one_sentence(shop_folder: Path) -> None:
    order = ["get_order_details", "--args", json.dumps({"order_id": "1"}), "--world", shop_folder]
    assert refusal(*order).startswith("get_order_details: There is no order '1' in this shop: order_id takes one id")
    other = ["get_user_orders", "--args", json.dumps({"user_id": BORIS}), "--world", shop_folder]
    assert f"orders of user '{ANNA}' only" in refusal(*other, "--user", ANNA)
    assert "AENOBODY" in refusal(*other, "--user", "AENOBODY")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["calculater"], "There is no tool 'calculater'. Did you mean calculator?"),
        (["calculator", "--args", "{expression}"], "--args is not JSON"),
        (["calculator"], "calculator: expression is missing"),
        (["get_user_orders", "--args", '{"user_id": "A", "status": "lost"}'], "Allowed: Delivered, Shipped"),
    ],
)
def test_bad_calls_are_refused_before_a_world_is_opened(args: list[str], message: str) -> None:
    assert message in refusal(*args, "--world", "nowhere")
