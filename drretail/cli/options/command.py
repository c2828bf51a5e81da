"""A command whose help lists its options under headings."""

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from drretail.api.option import LAST_GROUPS, OUTPUT
from drretail.progress import showing_progress

UsageError: Any = typer.BadParameter.__base__  # the class of click, or of typer's own copy of click


class Command(TyperCommand):
    """A command of drretail. Its help is plain text, since drawing boxes takes longer to load than typer.

    It shows progress, unless it has the flag --quiet and that is given.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises a usage error if an option of one value is repeated, of which click would only use the last. The
        error on an option like no other names them all, if they are few.
        """
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        except UsageError as problem:
            options = [each.opts[0] for each in self.params if isinstance(each, TyperOption) and not each.hidden]
            if getattr(problem, "possibilities", None) == [] and len(options) <= 10:  # the help says more of them
                problem.message += f". {ctx.command_path} takes {', '.join(options)}."
            raise
        for parameter, count in Counter(order).items():
            single = isinstance(parameter, TyperOption) and not (parameter.is_flag or parameter.multiple)
            if single and count > 1 and not ctx.resilient_parsing:
                ctx.fail(f"Option '{parameter.opts[-1]}' takes one value, but is given {count} times.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with showing_progress(quiet=ctx.params.get("quiet", False)):
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperCommand, self).format_help(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or "", []).append(record)
        others = [group for group in groups if group not in ("", *LAST_GROUPS)]
        if len(groups) > 1:  # --help is the last of the usual ones
            groups.setdefault(OUTPUT, []).append(groups[""].pop())
        for group in ("", *others, *LAST_GROUPS):
            if groups.get(group):
                with formatter.section(group or ("Options" if len(groups) == 1 else "Usual options")):
                    formatter.write_dl(groups[group])
