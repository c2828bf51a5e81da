"""``--model parrot:PHRASE``: a model that says this phrase and nothing else."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel


class Parrot(FakeListChatModel):
    def bind_tools(self, tools, **given):
        return self  # it calls none


def open_parrot(name, asked):
    return Parrot(responses=[f"I say {name}."])
