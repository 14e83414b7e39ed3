"""Help of a command with many options: listed under headings."""

from collections.abc import Mapping, Sequence
from typing import Any

import click


class Sectioned(click.Command):
    """A command whose help lists its options in sections, and examples after them.

    Parameters
    ----------
    *args
        As in `click.Command`.
    sections
        Names of the parameters under each heading; those named nowhere follow as "Other".
    examples
        Lines of the last section, as they stand.
    **kwargs
        As in `click.Command`.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]], examples: Sequence[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        options = (p for p in self.get_params(ctx) if isinstance(p, click.Option))
        records = {p.name: p.get_help_record(ctx) for p in options}
        named = {name for names in self.sections.values() for name in names}
        rest = [name for name in records if name not in named]
        for title, names in {**self.sections, "Other": rest}.items():
            lines = [record for name in names if (record := records[name]) is not None]
            with formatter.section(title):
                formatter.write_dl(lines)
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
