"""The providers of models: whose key is present, never what it is, and whether a model answers, when asked."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from drretail.doctor.checkup import Sign
from drretail.errors import ModelError, UserError
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


async def examine_models(specs: Sequence[str], opened: Callable[[str], Model]) -> list[Sign]:
    """Asks each model for one word, one after the other; this costs a few tokens, so it is done only when wanted."""
    return [await _examine_model(spec, opened) for spec in dict.fromkeys(specs)]


async def _examine_model(spec: str, opened: Callable[[str], Model]) -> Sign:
    from langchain_core.messages import HumanMessage

    from drretail.llm.calling import answer_of

    try:
        answer = await answer_of(opened(spec), [HumanMessage(GREETING)])
    except UserError as problem:
        return _unusable(spec, str(problem))
    except ModelError as problem:
        return _unusable(spec, f"{problem.kind}: {problem.message}")
    return Sign(what=f"model {spec}", state="ok", found=f"answers: {' '.join(answer.text.split())[:40]}")


def _unusable(spec: str, found: str) -> Sign:
    return Sign(
        what=f"model {spec}",
        state="broken",
        found=found,
        prevents=f"--model {spec}",
        mend="check the model's name, its key and its address (--base-url, drretail.toml)",
    )
