"""LangChain's own suite for chat models, run on the offline one.

A run of its own, since the suite brings many pytest plugins:
    pip install --group standard-tests; python -m pytest -c tests/standard/pytest.ini tests/standard
"""

from typing import Any

import pytest

pytest.importorskip("langchain_tests")

from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from drretail.llm.registry import open_model
from drretail.offline.chat import OfflineChat

SHOPPER = open_model("offline:shopper").chat
assert isinstance(SHOPPER, OfflineChat)


class Shopper:
    """What both suites are told about the model."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return OfflineChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"policy": SHOPPER.policy}

    @property
    def has_tool_calling(self) -> bool:
        return True

    @property
    def has_tool_choice(self) -> bool:
        return True

    @property
    def supports_image_inputs(self) -> bool:
        return False

    @property
    def supports_json_mode(self) -> bool:
        return False

    @property
    def structured_output_kwargs(self) -> dict[str, Any]:
        return {}

    @property
    def model_override_value(self) -> str:
        return "another"


class TestShopperUnit(Shopper, ChatModelUnitTests): ...


class TestShopperIntegration(Shopper, ChatModelIntegrationTests): ...
