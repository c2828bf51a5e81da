"""The providers of models: whose key is present, never what it is, and whether a model answers, when asked."""

from collections.abc import Iterator, Mapping

from drretail.doctor.checkup import Sign
from drretail.errors import ModelError
from drretail.llm.providers import PROVIDERS
from drretail.llm.registry import Model

GREETING = "Answer with the one word: ready"


def examine_keys(environ: Mapping[str, str]) -> Iterator[Sign]:
    for name, provider in PROVIDERS.items():
        if not provider.key_variables:
            continue
        present = [variable for variable in provider.key_variables if environ.get(variable)]
        if present:
            yield Sign(what=f"key of {name}", state="ok", found=f"{present[0]} is set")
        else:
            yield Sign(
                what=f"key of {name}",
                state="absent",
                found=f"{' or '.join(provider.key_variables)} is not set",
                prevents=f"--model {name}:… (offline:shopper and offline:judge need none)",
                mend=f"export {provider.key_variables[0]}=…",
            )


async def examine_model(model: Model) -> Sign:
    """Asks a model for one word; this costs a few tokens, so it is done only when wanted."""
    from langchain_core.messages import HumanMessage

    from drretail.llm.faults import ainvoke

    try:
        answer = await ainvoke(model.chat, [HumanMessage(GREETING)])
    except ModelError as problem:
        return Sign(
            what=f"model {model.spec}",
            state="broken",
            found=f"{problem.kind}: {problem.message}",
            prevents=f"--model {model.spec}",
            mend="check the model's name, its key and its address (--base-url, drretail.toml), then ask again",
        )
    return Sign(what=f"model {model.spec}", state="ok", found=f"answers ({' '.join(answer.text.split())[:40]})")
