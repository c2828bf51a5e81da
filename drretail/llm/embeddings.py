"""Embeddings by "provider:model", through LangChain, or the user's own at ``module:attribute``."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from drretail.errors import UnknownName, UserError, describe_error, quoted
from drretail.plugins import Plugins

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

OpenEmbeddings = Callable[[str], "Embeddings"]
LANGCHAIN: Mapping[str, str] = {
    **{
        literal: literal
        for literal in ("azure_ai", "azure_openai", "bedrock", "cohere", "huggingface", "mistralai", "ollama", "openai")
    },
    "google": "google_genai",
    "google_vertexai": "google_vertexai",
}
"""Our name of a provider → LangChain's. LangChain's clients read the keys from the environment."""
OFFLINE = "offline"
# Loaded by name only: the rule-based models are in a layer above this one.
OFFLINE_EMBEDDINGS = {"words": "drretail.llm.offline.plain:WordEmbeddings"}
OWN = Plugins("embeddings", {}, "drretail.embeddings")


def check_embeddings(spec: str) -> None:
    """Raises UserError if ``spec`` names no embeddings. Nothing is loaded."""
    provider, _, model = spec.partition(":")
    if not provider or not model:
        raise UserError(f"{spec!r} names no embeddings: write provider:model, such as openai:text-embedding-3-small.")
    if provider == OFFLINE and model not in OFFLINE_EMBEDDINGS:
        raise UnknownName("offline embeddings", model, OFFLINE_EMBEDDINGS)


def open_embeddings(spec: str) -> "Embeddings":
    """The embeddings at "provider:model" or "module:attribute".

    Raises UserError if the spec is wrong, or the provider's package or key is missing.
    """
    check_embeddings(spec)
    provider, _, model = spec.partition(":")
    if provider == OFFLINE:
        module, _, name = OFFLINE_EMBEDDINGS[model].partition(":")
        return getattr(import_module(module), name)()
    if provider in LANGCHAIN:
        from langchain.embeddings import init_embeddings

        try:
            return init_embeddings(model, provider=LANGCHAIN[provider])
        # The boundary of a provider's client: a missing package, a missing key, a wrong argument.
        except Exception as problem:
            raise UserError(f"The embeddings {quoted(spec)} cannot be opened: {describe_error(problem)}.") from problem
    from langchain_core.embeddings import Embeddings

    place, loaded = OWN.load(spec)
    made: Any = loaded() if callable(loaded) else loaded
    if not isinstance(made, Embeddings):
        raise OWN.refused(place, loaded, "LangChain embeddings, or a function that gives some")
    return made
