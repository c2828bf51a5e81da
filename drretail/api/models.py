"""Opens the models of each role, from specs, profiles and settings, with their keys and prices."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from drretail.api.options.shared import FileAddress, text_list
from drretail.errors import UnknownName, UserError, check_known, hide_keys, plain_address
from drretail.records.models import ModelChoice, ModelProfile
from drretail.records.run import ROLES
from drretail.viewer.drawing.progress import note_wait

if TYPE_CHECKING:
    from drretail.api.settings import Settings
    from drretail.llm.faults import Halt
    from drretail.llm.providers import Pacer
    from drretail.llm.registry import Model
    from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens models as settings and flags ask. ``base_urls`` are one or several ``[PROVIDER=]URL`` flags.

    With ``keyless`` no key and no package is needed: the models send nothing, and are for estimates and replays.
    ``tell`` gets a line whenever a call has to wait for its provider.
    """

    settings: "Settings"
    base_urls: "str | Iterable[str] | None" = ()
    keyless: bool = False
    tell: Callable[[str], None] = note_wait
    pacers: "dict[tuple[str, str | None], Pacer]" = field(init=False, default_factory=dict)
    """One for each provider and address, shared by all models opened here."""
    halt: "Halt" = field(init=False)
    _announced: set[str] = field(init=False, default_factory=set[str])

    def __post_init__(self) -> None:
        from drretail.llm.faults import Halt

        object.__setattr__(self, "halt", Halt())

    def open_all(self, choices: Iterable[ModelChoice]) -> "list[Model]":
        """The models in the order given; equal choices share one model.

        Raises UserError for the address of an unknown provider, and for an address without http:// or https://, a host
        or a possible port.
        """
        from drretail.llm.providers import ADDRESSLESS, provider_names

        wanted = list(choices)
        providers = {choice.model.partition(":")[0] for choice in wanted}
        addressed = sorted(providers & set(provider_names()) - ADDRESSLESS)
        # An address without a provider is for the only provider in use.
        addresses: dict[str, str] = {}
        for flag in text_list(self.base_urls):
            provider, equals, url = flag.partition("=")
            shown = plain_address(flag)
            if equals and "/" not in provider:
                check_known("model provider", provider_names(), provider)
                addresses[provider] = type(flag)(url)
                continue
            # This = is part of the address.
            if not addressed:
                raise UserError(
                    f"--base-url {shown}: no model of this command is asked at an address. Name one as well, such as "
                    "--model openai:NAME, or leave --base-url out."
                )
            if len(addressed) > 1:
                raise UserError(
                    f"--base-url {shown}: say which of {', '.join(addressed)} it is for, as in {addressed[0]}={shown}."
                )
            addresses[addressed[0]] = flag
        check_known("model provider", provider_names(), *self.settings.base_urls)
        urls = [self.settings.base_url, *self.settings.base_urls.values(), *addresses.values()]
        for url in (*urls, *(choice.base_url for choice in wanted)):
            if url is not None and not _is_address(url):
                raise UserError(f"{plain_address(url)!r} is no address of a model server: write http://HOST:PORT/v1.")
        opened = {choice: self._open(choice, addresses) for choice in dict.fromkeys(wanted)}
        return [opened[choice] for choice in wanted]

    def _open(self, choice: ModelChoice, addresses: Mapping[str, str]) -> "Model":
        from drretail.api.settings import SETTINGS_FILE, addresses_in_file, addresses_of_environment
        from drretail.llm.providers import PROVIDERS, Pacer, Retrying
        from drretail.llm.registry import build_model

        settings = self.settings
        retries = settings.model_retries if choice.retries is None else choice.retries
        provider = choice.model.partition(":")[0]
        configured = choice.base_url or settings.base_urls.get(provider) or settings.base_url
        base_url = addresses.get(provider) or configured
        environ: Mapping[str, str] = os.environ
        hide_keys(environ, *filter(None, [choice.key_variable]))
        if self.keyless:  # a placeholder for every key is enough to build a client that never sends
            names = [name for provider in PROVIDERS.values() for name in provider.key_variables]
            environ = dict.fromkeys([*names, *filter(None, [choice.key_variable])], "none")
        is_of_options = isinstance(base_url, FileAddress) and base_url not in addresses_of_environment()
        is_of_settings = bool(base_url) and provider not in addresses and base_url in addresses_in_file()
        if is_of_settings and not self.keyless:
            # Printed once, as a warning: anybody may have put the settings file into the folder.
            address = f"{choice.model} asked at {plain_address(str(base_url))}"
            line = f"{SETTINGS_FILE} here has {address}, without a key: --base-url or DRRETAIL_BASE_URL gives it one."
            if line not in self._announced:
                self._announced.add(line)
                print(line, file=sys.stderr, flush=True)
            environ = {}
        model = build_model(
            choice.model,
            base_url=base_url,
            timeout=choice.timeout or settings.model_timeout,
            retrying=Retrying(retries, tell=self.tell),
            max_tokens=choice.max_tokens or settings.max_tokens,
            thinking_tokens=choice.thinking_tokens,
            temperature=choice.temperature,
            seed=choice.seed,
            context=choice.context,
            key_variable=choice.key_variable,
            stream=settings.stream if choice.stream is None else choice.stream,
            pacer=self.pacers.setdefault((provider, base_url), Pacer()),
            halt=self.halt,
            environ=environ,
            sends=not self.keyless,
        )
        if (is_of_options or is_of_settings) and not self.keyless:
            keys = [name for name in model.key_variables if environ.get(name)]
            if provider in PROVIDERS:
                keys += filter(os.environ.get, PROVIDERS[provider].client_variables)
            elif is_of_options:
                keys.append("a plugin's")  # which its client may take from anywhere
            if keys:
                raise UserError(
                    f"{'The file of options' if is_of_options else SETTINGS_FILE} names {plain_address(str(base_url))},"
                    f" to which your key for {choice.model} would go ({', '.join(keys)}): name the address by "
                    f"--base-url{', or give --trust' if is_of_options else ''} if you trust that file."
                )
        return model


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return url.startswith(("http://", "https://")) and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port above 65535, a bracket that is not closed
        return False


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    timeout: float | None = None,
) -> "Model":
    """The chat model that "provider:model" or ``module:attribute`` names. Its key, and all options not given, come from
    the environment and the settings.

    ``timeout`` is in seconds for one attempt. Nothing is sent yet. Raises UserError if the spec, the provider, its
    package or its key is missing or wrong.
    """
    from drretail.api.settings import read_settings

    choice = ModelChoice(
        model=spec, base_url=base_url, temperature=temperature, max_tokens=max_tokens, seed=seed, timeout=timeout
    )
    (model,) = Opener(read_settings()).open_all([choice])
    return model


def profile_of(name: str | None, settings: "Settings") -> ModelProfile | None:
    """The profile that --model-profile names, or else the settings; None if neither names one."""
    from drretail.llm.providers import read_model_profile

    wanted = name or settings.model_profile
    return None if wanted is None else read_model_profile(wanted, settings.profiles)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a writer's calls took, including those that the journal answered."""

    model: "Model"
    usage: "Usage"
    served: int
    """Calls that the journal answered."""

    @property
    def line(self) -> str:
        """One line with calls, tokens and dollars."""
        from drretail.records.figures import counted
        from drretail.records.figures import dollars as in_dollars

        usage, cost = self.usage, self.usage.dollars
        from_journal = f", {self.served:,} of them from the journal" if self.served else ""
        price = "price unknown" if cost is None else f"${in_dollars(cost)}" if cost else "at no cost"
        tokens = f"{usage.input:,} tokens read, {usage.output:,} written"
        return f"{counted(usage.calls, 'call')}{from_journal}; {tokens}; {price}"

    @property
    def on_prices(self) -> list[str]:
        """Sentences on another model that answered, on a price that is unknown, and on the prices that were used."""
        from drretail.llm.prices import price_notes, price_version
        from drretail.llm.usage import other_models, served_notes

        spec, usage = self.model.spec, self.usage
        provider = spec.partition(":")[0]
        answered = [f"{provider}:{name}" for name in other_models(spec, usage)] or [spec]
        priced = price_notes(answered if usage.unpriced else [], [price_version()] if usage.dollars else [])
        return [*served_notes([(spec, usage)]), *priced]

    @property
    def document(self) -> dict[str, Any]:
        """The same numbers for --json; ``null`` means unknown."""
        tokens = self.usage.model_dump(exclude={"nanodollars", "unpriced"})
        return {"usage": tokens, "served_from_journal": self.served, "dollars": self.usage.dollars}


def open_writer(flag: str | None, profile: str | None, base_url: str | Iterable[str]) -> "Model | None":
    """The model of the flag, a named profile, the settings, or the settings' profile: the first of these that exists.

    None for offline:shopper, so that rules write instead, also if nothing is named. Raises UserError for an unknown
    model or profile, and for another offline model.
    """
    from drretail.api.settings import OFFLINE_MODEL, read_settings

    settings = read_settings()
    choices = None if flag or (profile is None and settings.model) else profile_of(profile, settings)
    choice = choices.choice("") if choices else ModelChoice(model=flag or settings.model or OFFLINE_MODEL)
    provider, _, name = choice.model.partition(":")
    if provider == "offline" and name and choice.model != OFFLINE_MODEL:
        raise UnknownName("offline query generator", name, [OFFLINE_MODEL.partition(":")[2]])
    if choice.model == OFFLINE_MODEL:
        return None
    opener = Opener(settings, base_url)
    (model,) = opener.open_all([choice])
    return model


def choices_by_role(
    specs: Sequence[str], profile: ModelProfile | None, roles: Collection[str] = ROLES
) -> dict[str, ModelChoice]:
    """The chosen models by role, of ``[ROLE=]PROVIDER:MODEL`` flags before a profile; "" stands for all other roles.

    A flag without a role replaces the whole profile. Raises UnknownName for a role that is not among ``roles``, and
    UserError for a role that is named twice.
    """
    flags: dict[str, ModelChoice] = {}
    for flag in specs:
        role, equals, spec = flag.partition("=")
        if not equals:
            role, spec = "", flag
        elif role not in roles:
            raise UnknownName("role", role, roles)
        if role in flags:
            raise UserError(f"--model is given twice for {role or 'all roles'}: name each role once.")
        flags[role] = ModelChoice(model=spec)
    if profile is None or "" in flags:
        return flags
    check_known("role", roles, *profile.roles)
    by_role = {role: profile.choice(role) for role in profile.roles}
    return {"": profile.choice(""), **by_role, **flags}
