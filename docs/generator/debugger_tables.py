"""The generated tables of repl.md and machine.md: commands, settings and our words."""

from __future__ import annotations

from generator.markdown import code, table
from nasm.apps.repl import help_commands
from nasm.apps.repl.command import Command, siblings, subcommands
from nasm.apps.repl.settings import SETTINGS, ReplSettings
from nasm.base.glossary import WORDS
from nasm.targets import TARGETS


def words() -> str:
    """The words that have a meaning of their own."""
    rows = [f"| **{word}** | {said} |" for word, said in WORDS.items()]
    return "\n".join([table(["word", "meaning"], []), *rows])


def commands() -> str:
    """The commands by topic."""
    topics = [
        f"**{title}**\n\n{_rows(found)}" for title, found in help_commands.grouped(siblings(""))
    ]
    return "\n\n".join(topics)


def parts() -> str:
    """What of a Tensix coprocessor can be looked at."""
    target = TARGETS["wormhole"]()
    known = target.parts(target.generations[0])
    rows = [[code(part.name), _items(part.items), part.what] for part in known]
    return table(["part", "its items", "what it is"], rows)


def _items(items: tuple[str, ...]) -> str:
    return (
        f"{code(items[0])} to {code(items[-1])}"
        if 0 < len(items) <= 16
        else "by name" * bool(items)
    )


def info() -> str:
    """What `info` shows."""
    return _rows(subcommands("info"))


def _rows(listed: list[Command]) -> str:
    return table(
        ["command", "short", "what it does"],
        [[code(c.usage), ", ".join(map(code, c.aliases)), c.summary] for c in listed],
    )


def settings() -> str:
    """What can be set."""
    return table(
        ["setting", "may be", "by default", "meaning"],
        [
            [code(s.name), s.kind.legal, ReplSettings().written(s.name), s.summary]
            for s in SETTINGS.values()
        ],
    )
