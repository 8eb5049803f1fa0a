"""The verbs that look things up: ``isa``, ``explain`` and ``help``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable

from rich.text import Text

from nasm.apps.cli import arguments, streams
from nasm.apps.cli.answer import refuse
from nasm.apps.cli.exit_codes import OK, REFUSED
from nasm.apps.cli.help_texts import COMMAND
from nasm.apps.cli.screen import Screen
from nasm.apps.cli.verb_parsers import VERBS
from nasm.base.problems import Problem, Refused, quoted
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.language import codes
from nasm.language.expanding.statements import unknown_target
from nasm.show import examples, explanations, lists, pages
from nasm.show.search import search
from nasm.targets import TARGETS, USUAL

CODE = re.compile(r"[eEwW]\d{1,4}")


# ---------------------------------------------------------------- isa


def isa(args: argparse.Namespace) -> int:
    """``isa``: the page of an instruction, or lists."""
    screen = Screen(args.color)
    try:
        targets = _targets(args.target)
    except Refused as refused:
        return refuse(args, screen, [refused.at(None)])
    if args.options:
        return _options(screen, args, targets)
    if args.timing:
        return _timing(screen, args, targets)
    if args.search is not None:
        return _search(screen, args, targets)
    if args.mnemonic is None:
        return _list(screen, args, targets)
    for target in targets:
        row = target.isa.rows.get(args.mnemonic)
        if row is not None:
            show = _example if args.example else _page
            return show(screen, args, row, target)
    hint = _hint(args.mnemonic, targets)
    said = f"no instruction '{args.mnemonic}'"
    return refuse(args, screen, [Problem("E0201", said, None, hint)])


def _targets(name: str | None) -> list[Target]:
    """The targets to look in: that of a machine, or all of them. Raises Refused."""
    if name is None:
        return TARGETS.loaded()
    if name not in TARGETS:
        raise unknown_target(name, TARGETS)
    return [TARGETS[name]()]


def _hint(word: str, targets: list[Target]) -> str:
    """What to say of a word that is no mnemonic."""
    return _meant(word, targets) or f"'{COMMAND} isa' lists them all"


def _meant(word: str, targets: list[Target], also: Iterable[str] = ()) -> str:
    """The assembler's hint for a word, or where to look for it; empty if nothing is known.

    ``also`` are other words that may have been meant.
    """
    for target in sorted(targets, key=_unusual):
        if meant := target.isa.meant(word, also):
            return meant
        if search(target, word):
            return f"'{COMMAND} isa --search {word}' lists the instructions that have it"
    return ""


def _unusual(target: Target) -> bool:
    """Whether it is not the target that a word is most likely meant for."""
    return target.generation(USUAL) is None


def _options(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    if args.json:
        rows = [row for t in targets for row in lists.json_options(t)]
        args.answer.give(OK, options=rows)
    else:
        screen.show(*(lists.rich_options(t) for t in targets))
    return OK


def _timing(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    """The figures of all generations, or of the one of a target."""
    wanted: list[tuple[Target, Generation | None]] = [(t, None) for t in targets]
    if args.target is not None:
        wanted = [(t, t.generation(args.target)) for t in targets]
    if args.json:
        rows = [row for target, only in wanted for row in lists.json_figures(target, only)]
        args.answer.give(OK, figures=rows)
    else:
        screen.show(*(lists.rich_figures(target, only) for target, only in wanted))
    return OK


def _search(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    found = {target: search(target, args.search) for target in targets}
    if not any(found.values()):
        hint = _hint(args.search, targets)
        problem = Problem("E0201", f"no instruction has '{args.search}'", None, hint)
        return refuse(args, screen, [problem])
    if args.json:
        rows = [row for target, rows in found.items() for row in lists.json_list(target, rows)]
        args.answer.give(OK, instructions=rows)
    else:
        screen.show(*(lists.rich_found(rows) for rows in found.values() if rows))
    return OK


def _list(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    if args.json:
        rows = [row for t in targets for row in lists.json_list(t)]
        args.answer.give(OK, instructions=rows)
    else:
        screen.show(*(lists.rich_list(t) for t in targets))
    return OK


def _page(screen: Screen, args: argparse.Namespace, row: Row, target: Target) -> int:
    page = pages.page(row, target)
    if args.json:
        content = {"target": target.name, **pages.json_page(page)}
        args.answer.give(OK, instruction=content)
    else:
        more = f"'{COMMAND} isa {row.name} --example' prints a program that runs it"
        screen.show(pages.rich_page(page), Text(), Text(more, "dim"))
    return OK


def _example(screen: Screen, args: argparse.Namespace, row: Row, target: Target) -> int:
    """A program, and nothing else on standard output."""
    try:
        text = examples.whole(row, target, args.target)
    except Refused as refused:
        return refuse(args, screen, [refused.at(None)])
    if args.json:
        args.answer.give(OK, example=text)
    else:
        streams.write(sys.stdout, text)
    return OK


# ---------------------------------------------------------------- explain, help


def explain(args: argparse.Namespace) -> int:
    """``explain``: a diagnostic at length, or all of them in short."""
    screen = Screen(args.color)
    try:
        rows = codes.table() if args.code is None else (explanations.find(args.code),)
    except Refused as refused:
        return refuse(args, screen, [refused.at(None)])
    if args.json:
        content = [explanations.json_code(row) for row in rows]
        args.answer.give(OK, codes=content)
    elif args.code is None:
        screen.show(explanations.rich_list(rows))
    else:
        screen.show(explanations.rich_code(rows[0]))
    return OK


def help_(args: argparse.Namespace) -> int:
    """``help``: of the command, a verb, an instruction or a diagnostic."""
    topic, top = args.topic, arguments.parser()
    if topic is None or topic in VERBS:
        streams.write(sys.stdout, arguments.of_verb(top, topic).format_help())
        return OK
    color = f"--color={args.color}"
    if CODE.fullmatch(topic):
        return explain(arguments.read(["explain", color, topic]))
    if any(topic in target.isa.rows for target in TARGETS.loaded()):
        return isa(arguments.read(["isa", color, topic]))
    hint = _meant(topic, _targets(None), VERBS) or f"commands: {', '.join(VERBS)}"
    message = f"no command, instruction or diagnostic '{quoted(topic)}'"
    Screen(args.color).problems([Problem("E0811", message, None, hint)])
    return REFUSED
