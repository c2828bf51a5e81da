"""Models by role from specs, profiles and settings, opened with their keys and prices."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from drretail.errors import UnknownName, UserError, plain_address
from drretail.records.models import ModelChoice, ModelProfile
from drretail.records.run import ROLES

if TYPE_CHECKING:
    from drretail.llm.denials import Halt
    from drretail.llm.prices import PriceTable
    from drretail.llm.registry import Model
    from drretail.llm.retries_and_rates import Paces
    from drretail.settings import Settings


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens models as settings and flags ask. ``base_urls`` are ``[PROVIDER=]URL`` flags.

    With ``keyless`` neither key nor package is needed: such models are for an estimate or a replay, and send nothing.
    ``tell`` is given a line where a model's answer is waited for.
    """

    settings: "Settings"
    base_urls: Sequence[str] = ()
    keyless: bool = False
    tell: Callable[[str], None] = lambda line: None
    prices: "PriceTable" = field(init=False)
    paces: "Paces" = field(init=False)
    """One pace for each provider, shared by all that is opened here."""
    halt: "Halt" = field(init=False)
    _announced: set[str] = field(init=False, default_factory=set[str])

    def __post_init__(self) -> None:
        from drretail.llm.denials import Halt
        from drretail.llm.prices import read_prices
        from drretail.llm.providers import provider_names
        from drretail.llm.retries_and_rates import Paces

        for provider in self.settings.rate_limits:
            if provider not in provider_names():
                raise UnknownName("model provider (rate_limits)", provider, provider_names())
        object.__setattr__(self, "prices", read_prices(self.settings.prices))
        object.__setattr__(self, "halt", Halt())
        object.__setattr__(self, "paces", Paces(self.settings.rate_limits))

    def open_all(self, choices: Iterable[ModelChoice]) -> "list[Model]":
        """The models in the order given; each that is asked for twice in the same way is opened once."""
        wanted = list(choices)
        addresses = _addresses(self.base_urls, {choice.model.partition(":")[0] for choice in wanted})
        _check_addresses({"": self.settings.base_url, **self.settings.base_urls, **addresses})
        opened = {choice: self._open(choice, addresses) for choice in dict.fromkeys(wanted)}
        return [opened[choice] for choice in wanted]

    def _open(self, choice: ModelChoice, addresses: Mapping[str, str]) -> "Model":
        from drretail.llm.registry import open_model
        from drretail.llm.retries_and_rates import Retrying

        settings = self.settings
        retries = settings.model_retries if choice.retries is None else choice.retries
        provider = choice.model.partition(":")[0]
        configured = choice.base_url or settings.base_urls.get(provider) or settings.base_url
        base_url = addresses.get(provider) or configured
        environ = _placeholder_keys(choice) if self.keyless else os.environ
        if base_url and provider not in addresses and settings.is_of_the_file(base_url) and not self.keyless:
            self._announce(choice, base_url)
            environ = os.environ if choice.key_variable else {}
        return open_model(
            choice.model,
            base_url=base_url,
            timeout=choice.timeout or settings.model_timeout,
            retrying=Retrying(retries, tell=self.tell),
            max_tokens=choice.max_tokens or settings.max_tokens,
            thinking_tokens=choice.thinking_tokens,
            temperature=choice.temperature,
            seed=choice.seed,
            context=choice.context,
            structured_output=choice.structured_output,
            key_variable=choice.key_variable,
            prices=self.prices,
            stream=settings.stream,
            pacer=self.paces.of(provider, base_url),
            halt=self.halt,
            environ=environ,
            sends=not self.keyless,
        )

    def _announce(self, choice: ModelChoice, base_url: str) -> None:
        """Says on stderr, once, where a file that anybody may have put into the folder has a model asked."""
        from drretail.settings import SETTINGS_FILE

        key = "without a key: --base-url, DRRETAIL_BASE_URL or a profile's key_variable gives it one"
        key = f"with the key in {choice.key_variable}" if choice.key_variable else key
        line = f"{SETTINGS_FILE} here has {choice.model} asked at {plain_address(base_url)}, {key}."
        if line not in self._announced:
            self._announced.add(line)
            print(line, file=sys.stderr, flush=True)


def _placeholder_keys(choice: ModelChoice) -> dict[str, str]:
    """Something under every name that a key is looked up by: enough to build a client that never sends."""
    from drretail.llm.providers import PROVIDERS

    names = [name for provider in PROVIDERS.values() for name in provider.key_variables]
    return dict.fromkeys([*names, *([choice.key_variable] if choice.key_variable else [])], "none")


def models_by_role(
    specs: Sequence[str],
    profile: str | None,
    opener: Opener,
    *,
    roles: Iterable[str] = (),
    on_offline: Callable[[], None] | None = None,
) -> "dict[str, Model]":
    """Models of specs, profile and settings by role; the one for all other roles stands under "".

    ``roles`` are those that may be named besides the built-in agents'. ``on_offline`` is called where none of them
    names a model, so that offline:shopper answers.
    """
    from drretail.settings import OFFLINE_MODEL

    settings = opener.settings
    if not specs and profile is None and settings.model is not None:
        specs = [settings.model]
    chosen = choices_by_role(specs, profile_of(profile, settings), dict.fromkeys((*ROLES, *roles)))
    if not chosen:
        if on_offline is not None:
            on_offline()
        chosen = choices_by_role([OFFLINE_MODEL], None)
    return dict(zip(chosen, opener.open_all(chosen.values()), strict=True))


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    timeout: float | None = None,
) -> "Model":
    """The chat model that "provider:model" or ``module:attribute`` names; its key and what is not given come from the
    environment and the settings.

    ``timeout`` is in seconds for one attempt. Nothing is sent yet. Raises UserError when the spec, the provider, its
    package or its key is missing or wrong.
    """
    from drretail.settings import read_settings

    choice = ModelChoice(
        model=spec, base_url=base_url, temperature=temperature, max_tokens=max_tokens, seed=seed, timeout=timeout
    )
    (model,) = Opener(read_settings()).open_all([choice])
    return model


def profile_of(name: str | None, settings: "Settings") -> ModelProfile | None:
    """The profile of the flag --model-profile or of the settings; None without any."""
    from drretail.llm.profiles import read_profile

    wanted = name or settings.model_profile
    return None if wanted is None else read_profile(wanted, settings.profiles)


def writer_choice(flag: str | None, profile: str | None, settings: "Settings") -> ModelChoice:
    """The model that writes queries: of the flag, else of a profile, else of the settings, else offline:shopper.

    A profile that is named comes before the model of the settings. Raises UserError for an unknown profile, and for
    another offline model.
    """
    from drretail.settings import OFFLINE_MODEL

    found = None if flag or (profile is None and settings.model) else profile_of(profile, settings)
    choice = found.choice("") if found else ModelChoice(model=flag or settings.model or OFFLINE_MODEL)
    provider, _, name = choice.model.partition(":")
    if provider == "offline" and name and choice.model != OFFLINE_MODEL:
        raise UnknownName("offline query generator", name, [OFFLINE_MODEL.partition(":")[2]])
    return choice


def choices_by_role(
    specs: Sequence[str], profile: ModelProfile | None, roles: Collection[str] = ROLES
) -> dict[str, ModelChoice]:
    """``[ROLE=]PROVIDER:MODEL`` flags before a profile, by role; what holds for all other roles stands under "".

    A flag without a role replaces the whole profile. Raises UnknownName for a role that is not among ``roles``, and
    UserError for one that is named twice.
    """
    flags = _flags(specs, roles)
    if profile is None or "" in flags:
        return flags
    for role in profile.roles:
        if role not in roles:
            raise UnknownName("role", role, roles)
    named = {role: profile.choice(role) for role in profile.roles}
    return {"": profile.choice(""), **named, **flags}


def _flags(specs: Sequence[str], roles: Collection[str]) -> dict[str, ModelChoice]:
    chosen: dict[str, ModelChoice] = {}
    for flag in specs:
        role, equals, spec = flag.partition("=")
        if not equals:
            role, spec = "", flag
        elif role not in roles:
            raise UnknownName("role", role, roles)
        if role in chosen:
            raise UserError(f"--model is given twice for {role or 'all roles'}: name each role once.")
        chosen[role] = ModelChoice(model=spec)
    return chosen


def _check_addresses(addresses: Mapping[str, str | None]) -> None:
    """Raises UserError for a provider that nothing goes by, and for what is no address of a server."""
    from drretail.llm.providers import provider_names

    for provider, url in addresses.items():
        if provider and provider not in provider_names():
            raise UnknownName("model provider", provider, provider_names())
        if url is not None and not url.startswith(("http://", "https://")):
            raise UserError(f"{plain_address(url)!r} is no address of a model server: write http://… or https://….")


def _addresses(flags: Sequence[str], providers: set[str]) -> dict[str, str]:
    """``[PROVIDER=]URL`` flags by provider; one without a provider is for the only one that is asked."""
    from drretail.llm.providers import ADDRESSLESS, provider_names

    asked = sorted(providers & set(provider_names()) - ADDRESSLESS)
    addresses: dict[str, str] = {}
    for flag in flags:
        provider, equals, url = flag.partition("=")
        shown = plain_address(flag)
        if not equals or "/" in provider:  # the = is the address's own
            if not asked:
                raise UserError(
                    f"--base-url {shown}: no model of this command is asked at an address. Name one as well, such as "
                    "--model openai:NAME, or leave --base-url out."
                )
            if len(asked) > 1:
                raise UserError(
                    f"--base-url {shown}: say which of {', '.join(asked)} it is for, as in {asked[0]}={shown}."
                )
            addresses[asked[0]] = flag
        elif provider not in provider_names():
            raise UnknownName("model provider", provider, provider_names())
        else:
            addresses[provider] = url
    return addresses
