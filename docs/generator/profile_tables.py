"""The generated tables of tables.md: the columns of every table that a profile is written as."""

from __future__ import annotations

import re

from generator.examples import GENERATIONS
from generator.markdown import code, table
from nasm.show import schema


def filled(text: str) -> str:
    """The page with the columns of every table written anew."""
    for name, columns in schema.tables(GENERATIONS[0]).items():
        rows = [
            [code(c.name), "nasm's" if c.own else "", c.unit or c.kind, c.meaning] for c in columns
        ]
        shown = table(["column", "own", "unit", "meaning"], rows)
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(
            pattern, lambda m, s=shown: f"{m[1]}{s}\n{m[2]}", text, flags=re.DOTALL
        )
        if count != 1:
            raise SystemExit(f"tables.md has {count} sections '{name}', wanted one")
    return text
