"""The verb ``isa``: the manual page of an instruction, or lists of what there is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import shared_options as options
from nasm.apps.cli import streams
from nasm.apps.cli.answer import OK, refuse
from nasm.apps.cli.verb import COMMAND, Verb, preload
from nasm.base.problems import Problem

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nasm.apps.cli.screen import Screen
    from nasm.isa.instruction import Row
    from nasm.isa.target import Target


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("mnemonic", nargs="?", help="an instruction, as programs spell it")
    verb.add_argument(
        "--search",
        metavar="WORDS",
        help="list the instructions that have these words: a name, the vendor's name, an "
        "operator, a dtype, or any word of their description",
    )
    verb.add_argument("--options", action="store_true", help="list the machine options instead")
    verb.add_argument("--timing", action="store_true", help="list the timing figures instead")
    verb.add_argument(
        "--example", action="store_true", help="print a whole program that runs its example"
    )
    verb.add_argument(
        "--target",
        metavar="NAME",
        help="the target that is meant, trn1, trn2, trn3, wormhole, blackhole, …, by default all "
        "that nasm knows; a program is for the first that has the instruction",
    )
    options.json(verb)


def _unfit(parsed: argparse.Namespace) -> str:
    """Which options do not go together; empty if all do."""
    if parsed.options and parsed.timing:
        return "--options and --timing are two lists: give one of them"
    for name, what in (("options", "options of the machines"), ("timing", "timing figures")):
        if getattr(parsed, name) and (parsed.mnemonic or parsed.example or parsed.search):
            return f"--{name} lists the {what}: no instruction goes with it"
    if parsed.search is not None and (parsed.mnemonic or parsed.example):
        return f"--search lists instructions: no name goes with it ('{COMMAND} isa NAME')"
    if parsed.example and parsed.mnemonic is None:
        return f"--example wants the name of an instruction: {COMMAND} isa TensorTensor --example"
    return ""


def isa(args: argparse.Namespace, screen: Screen) -> int:
    """Show the page of an instruction, or lists; returns the exit code."""
    preload("nasm.show.pages", "nasm.show.lists", "nasm.language.expanding.statements")
    targets = known_targets(args.target)
    if args.search is not None:
        return _search(screen, args, targets)
    if args.mnemonic is None:
        return _lists(screen, args, targets)
    for target in targets:
        row = target.row(args.mnemonic, target.generation(args.target or ""))
        if row is not None and (
            args.target or not _usual_word(args.mnemonic, row, target, targets)
        ):
            show = _example if args.example else _page
            return show(screen, args, row, target)
    hint = _hint(args.mnemonic, targets)
    message = f"no instruction '{args.mnemonic}'"
    return refuse(args, screen, [Problem("E0201", message, None, hint)])


def _usual_word(word: str, row: Row, target: Target, targets: list[Target]) -> bool:
    """Whether a short name of an unusual target's row is more likely a word of the usual one."""
    from nasm.show.search import DESCRIBED, search

    if word.lower() == row.name.lower() or not _unusual(target):
        return False
    found = (search(other, word) for other in targets if not _unusual(other))
    return any(message != DESCRIBED for rows in found for message in rows.values())


def known_targets(name: str | None) -> list[Target]:
    """The targets to look in: that of a machine, or all of them. Raises Refused."""
    from nasm.language.expanding.statements import unknown_target
    from nasm.targets import TARGETS

    if name is None:
        return TARGETS.loaded()
    if name not in TARGETS:
        raise unknown_target(name, TARGETS)
    return [TARGETS[name]()]


def _hint(word: str, targets: list[Target]) -> str:
    """What to say of a word that is no mnemonic."""
    return meant_by(word, targets) or f"'{COMMAND} isa' lists them all"


def meant_by(word: str, targets: list[Target], also: Iterable[str] = ()) -> str:
    """The assembler's hint for a word, or where to look for it; empty if nothing is known.

    ``also`` are other words that may have been meant.
    """
    from nasm.show.search import search

    for target in sorted(targets, key=_unusual):
        if meant := target.isa.meant(word, also):
            return meant
        if search(target, word):
            return f"'{COMMAND} isa --search {word}' lists the instructions that have it"
    return ""


def _unusual(target: Target) -> bool:
    """Whether it is not the target that a word is most likely meant for."""
    from nasm.targets import USUAL

    return target.generation(USUAL) is None


def _lists(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    """List machine options, timing figures of all generations or of that of a target, or rows."""
    from nasm.show import json_isa, lists

    if args.options:
        rows = (row for t in targets for row in json_isa.options(t))
        return _give(screen, args, "options", rows, map(lists.rich_options, targets))
    if args.timing:
        wanted = [(t, t.generation(args.target) if args.target else None) for t in targets]
        rows = (row for of in wanted for row in json_isa.figures(*of))
        return _give(screen, args, "figures", rows, (lists.rich_figures(*of) for of in wanted))
    rows = (row for t in targets for row in json_isa.instructions(t))
    return _give(screen, args, "instructions", rows, map(lists.rich_list, targets))


def _give(
    screen: Screen,
    args: argparse.Namespace,
    key: str,
    rows: Iterable[dict[str, Any]],
    shown: Iterable[RenderableType],
) -> int:
    """Answer with rows, or show them."""
    if args.json:
        args.answer.give(OK, **{key: list(rows)})
    else:
        screen.show(*shown)
    return OK


def _search(screen: Screen, args: argparse.Namespace, targets: list[Target]) -> int:
    from nasm.show import json_isa, lists
    from nasm.show.search import search

    found = {target: search(target, args.search) for target in targets}
    if not any(found.values()):
        hint = _hint(args.search, targets)
        problem = Problem("E0201", f"no instruction has '{args.search}'", None, hint)
        return refuse(args, screen, [problem])
    rows = (row for target, rows in found.items() for row in json_isa.instructions(target, rows))
    shown = (lists.rich_matches(rows) for rows in found.values() if rows)
    return _give(screen, args, "instructions", rows, shown)


def _page(screen: Screen, args: argparse.Namespace, row: Row, target: Target) -> int:
    from rich.text import Text

    from nasm.show import json_isa, pages

    page = pages.page(row, target)
    if args.json:
        args.answer.give(OK, instruction=json_isa.manual(target, page))
    else:
        more = f"'{COMMAND} isa {row.name} --example' prints a program that runs it"
        screen.show(pages.rich_page(page), Text(), Text(more, "dim"))
    return OK


def _example(screen: Screen, args: argparse.Namespace, row: Row, target: Target) -> int:
    """A program, and nothing else on standard output."""
    from nasm.show import examples

    text = examples.whole(row, target, args.target)
    if args.json:
        args.answer.give(OK, example=text)
    else:
        streams.write(sys.stdout, text)
    return OK


VERB = Verb(
    summary="show the manual page of an instruction, or list instructions",
    rank=120,
    arguments=_arguments,
    conflicts=(_unfit,),
    body=isa,
    examples=(("TensorTensor", "its operands, rules and sources"),),
    notes="""\
examples:
  neuron-nasm isa
  neuron-nasm isa MultiplyMoving
  neuron-nasm isa --search nc_matmul          by name, operator, dtype or word
  neuron-nasm isa --options                   what --option may set
  neuron-nasm isa --timing --target trn2      what --timing may set
  neuron-nasm isa TensorTensor --example | neuron-nasm run -
""",
)
