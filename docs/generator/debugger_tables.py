"""The generated tables of repl.md and machine.md: commands, settings and our words."""

from __future__ import annotations

from generator.markdown import code, table
from nasm.glossary import WORDS
from nasm.repl import help_commands
from nasm.repl.command import Command, siblings, subcommands
from nasm.repl.settings import SETTINGS, Settings


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
            [code(s.name), s.kind.legal, Settings().said(s.name), s.summary]
            for s in SETTINGS.values()
        ],
    )
