"""``drretail lab memory``: what a model knows of a shop by heart."""

from drretail.api.options.lab import MemoryOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def memory(options: MemoryOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Asks a model without tools for price, rating and brand of products by their titles, and counts what is right.

    It may say that it doesn't know. What was asked once is not asked again; the result is kept in EXP/lab/memory.json.
    Of a world by drretail synth --perturb nobody can know any. The exit code is 3 where there was no usable answer.
    """
    from drretail.api.lab.questions import estimate_memory, memory_with
    from drretail.cli.lab.kept import print_estimate, print_kept
    from drretail.viewer.terminal.printed_memory import print_remembered

    if planned.estimate:
        found = estimate_memory(options, quiet=output.quiet)
        print_estimate(found, output, "Products left to ask about", ("model", "to ask"))
        return
    made = memory_with(options, quiet=output.quiet)

    def print_all() -> None:
        for each in made.finding:
            print_remembered(each)

    print_kept(made, print_all, output)
