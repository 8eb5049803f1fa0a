"""Options that several verbs have: each function adds one, or a few that go together, to a verb."""

from __future__ import annotations

import argparse

from nasm.apps.cli import program_names, values
from nasm.base.signals import TIMED_OUT

PROGRAM = "a .nasm file, an object file, - for standard input, or kernel.py:name"
COLORS = ("auto", "always", "never")


def color(parser: argparse.ArgumentParser, default: str) -> None:
    """``--color``."""
    parser.add_argument(
        "--color",
        metavar="WHEN",
        choices=COLORS,
        default=default,
        help="colours: auto (on a terminal, unless NO_COLOR is set), always or never",
    )


def common(verb: argparse.ArgumentParser) -> None:
    """What a program is assembled with: target, constants, options, figures, files."""
    verb.add_argument(
        "--target",
        metavar="NAME",
        help="the target, instead of the one that .target names: trn1, inf2, trn2, trn3, …",
    )
    verb.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUE",
        type=values.define,
        action="append",
        default=[],
        help="override a constant that the program declares with .const",
    )
    verb.add_argument(
        "--option",
        dest="options",
        metavar="NAME=VALUE",
        type=values.option,
        action="append",
        default=[],
        help="set a machine option; 'neuron-nasm isa --options' lists them",
    )
    timing(verb)
    files(verb)


def ranks(verb: argparse.ArgumentParser) -> None:
    """``--ranks``."""
    verb.add_argument(
        "--ranks",
        metavar="N",
        type=values.count,
        help="so many machines run the program together, instead of as many as .ranks says",
    )


def hosts(verb: argparse.ArgumentParser) -> None:
    """Where the ranks or the tiles of a program live."""
    where = verb.add_mutually_exclusive_group()
    where.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=values.count,
        help="spread the ranks of a program over so many processes, or its tiles if it has several "
        "and one rank; by default this one has all of them",
    )
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="spread them over the workers of a Dask cluster, tcp://host:8786 or local, or with "
        "mpi over the processes that mpiexec started",
    )


def rank(verb: argparse.ArgumentParser, text: str) -> None:
    """``--rank``."""
    verb.add_argument("--rank", metavar="N", type=values.rank, help=text)


def topology(verb: argparse.ArgumentParser) -> None:
    """``--topology``."""
    verb.add_argument(
        "--topology",
        metavar="NAME",
        help="where the ranks are: a topology such as trn2.48xlarge, or a TOML or JSON file",
    )


def timing(verb: argparse.ArgumentParser) -> None:
    """``--timing``."""
    verb.add_argument(
        "--timing",
        metavar="FILE",
        help="set timing figures from a TOML file; 'neuron-nasm isa --timing' lists them",
    )


def files(verb: argparse.ArgumentParser) -> None:
    """Which files the program may read, and where those are that it includes."""
    verb.add_argument(
        "-I",
        dest="include",
        metavar="DIR",
        action="append",
        default=[],
        help="look for what .include names in this folder too, after that of the program",
    )
    only = verb.add_mutually_exclusive_group()
    only.add_argument(
        "--files",
        metavar="DIR",
        help="the only folder from which the program may read arrays; no link leads out of it",
    )
    only.add_argument(
        "--no-files",
        dest="files",
        action="store_false",
        default=None,
        help="let the program read no array files; those that the command line names are read",
    )


def inputs(verb: argparse.ArgumentParser) -> None:
    """``--in``."""
    verb.add_argument(
        "--in",
        dest="inputs",
        metavar="NAME=FILE",
        type=values.given,
        action="append",
        default=[],
        help="fill a tensor from a .npy file, or from file.npz:key, or with values that are made: "
        "zeros, ones, iota, random or normal, as in normal:seed=7 (for an argument of a kernel "
        "normal[128,512]:bf16:seed=7); overrides its initialiser. "
        "file.npz alone fills a tensor from every array, by its name",
    )


def desugar(verb: argparse._ActionsContainer, text: str) -> None:
    """``--desugar``: the text of a program without loops, macros, moments and expressions."""
    verb.add_argument("--desugar", action="store_true", help=text)


def watch(verb: argparse.ArgumentParser) -> None:
    """``--watch``."""
    verb.add_argument(
        "--watch",
        action="store_true",
        help="do it again whenever the program, what it includes, an input or a golden file "
        "changes, until Ctrl-C",
    )


def inputs_folder(verb: argparse.ArgumentParser) -> None:
    """``--in-dir``."""
    verb.add_argument(
        "--in-dir",
        metavar="DIR",
        help="fill every input that has a file DIR/NAME.npy from it, unless --in gives its values",
    )


def kernel(verb: argparse.ArgumentParser) -> None:
    """What a kernel is called with in addition to arrays."""
    verb.add_argument(
        "--arg",
        dest="arguments",
        metavar="NAME=VALUE",
        type=values.binding,
        action="append",
        default=[],
        help="of kernel.py:name: call it with this argument, as Python writes it: 2, (1, 2), "
        "nl.float32, a name of the kernel's file",
    )
    kernel_call(verb)


def kernel_call(verb: argparse.ArgumentParser) -> None:
    """How a kernel is traced."""
    verb.add_argument(
        "--no-python",
        dest="python",
        action="store_false",
        help="refuse kernel.py:name and scripts, which are Python; so does --no-files",
    )
    verb.add_argument(
        "--lnc",
        metavar="N",
        type=int,
        choices=(1, 2),
        help="of kernel.py:name: run it on so many cores that share HBM, by default on one",
    )
    verb.add_argument(
        "--dma",
        choices=("split", "sync", "hardware"),
        help="of kernel.py:name: who starts transfers: Sync, and GpSimd what waits for results "
        "(split); Sync alone (sync); as split, with descriptors that the hardware makes (hardware)",
    )
    verb.add_argument(
        "--hoist",
        action=argparse.BooleanOptionalAction,
        help="of kernel.py:name: read again what an earlier call has computed or loaded instead of "
        "doing it again, or (--no-hoist) execute each call; by default NKI 0.1 reads again",
    )
    verb.add_argument(
        "--overlap",
        metavar="N",
        type=int,
        help="of a kernel of NKI 0.1: within how many calls later ones go before those that wait, "
        "by default as many as fit SBUF, 0 for none",
    )


def no_values(verb: argparse.ArgumentParser) -> None:
    """``--no-values``."""
    verb.add_argument(
        "--no-values",
        dest="values",
        action="store_false",
        help="time alone: the same cycles and the same trace, and no arithmetic",
    )


def most_cycles(verb: argparse.ArgumentParser) -> None:
    """``--max-cycles``."""
    verb.add_argument(
        "--max-cycles",
        metavar="N",
        type=values.cycles,
        help="stop after N cycles of the base clock, with exit code 1",
    )


def reruns(verb: argparse.ArgumentParser) -> None:
    """``--schedules``, ``--seed``, ``--witness``."""
    verb.add_argument(
        "--schedules",
        metavar="N",
        type=values.count,
        help="run it N times more, each with other latencies, dispatches and hand-offs drawn at "
        "random, and say which of them lead to something else",
    )
    verb.add_argument(
        "--seed",
        metavar="N",
        type=values.seed,
        help="the seed of the first of those schedules, by default 1; each one after it has the "
        "next number",
    )
    verb.add_argument(
        "--witness",
        action="store_true",
        help="show every race that is reported by one more run, in which one event is delayed "
        "until nothing else can happen: which values change; and whether it hangs in another one",
    )


def limit(verb: argparse.ArgumentParser, what: str, most: int | None = None) -> None:
    """``--max-instructions``; ``what`` says what becomes of a run that gets there."""
    from nasm.machine.records import MOST_INSTRUCTIONS  # which --help does not need

    most = MOST_INSTRUCTIONS if most is None else most
    verb.add_argument(
        "--max-instructions",
        metavar="N",
        type=values.instructions,
        default=most,
        help=f"{what}: {most:,} by default; 0 or none for no limit",
    )


def json(verb: argparse.ArgumentParser) -> None:
    """``--json``."""
    verb.add_argument("--json", action="store_true", help="print a JSON document instead of text")


def timeout(verb: argparse.ArgumentParser) -> None:
    """``--timeout``."""
    verb.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=values.seconds,
        help=f"stop after so many seconds of real time, with exit code {TIMED_OUT}",
    )


def policy(verb: argparse.ArgumentParser) -> None:
    """``--strict`` and ``--allow``."""
    verb.add_argument(
        "--strict", action="store_true", help="treat warnings, but not notes, as errors"
    )
    verb.add_argument(
        "--allow",
        metavar="CODE",
        action="append",
        default=[],
        help="ignore this hazard or warning, such as E0502; may be given several times. "
        "'; nasm: allow E0502 reason' after an instruction ignores it on its line",
    )


def unchecked(verb: argparse.ArgumentParser) -> None:
    """``--unchecked``."""
    verb.add_argument(
        "--unchecked",
        dest="checked",
        action="store_false",
        help="do not look for races or unwritten outputs, which takes less time",
    )


def pages(verb: argparse.ArgumentParser) -> None:
    """``--html`` and ``--svg``."""
    verb.add_argument(
        "--html",
        metavar="FILE",
        help="write a page to look at the run: its timeline, where its time went, its memory; one "
        "file that needs no network; - is standard output",
    )
    verb.add_argument("--svg", metavar="FILE", help="write a picture of the timeline")


def sarif(verb: argparse.ArgumentParser) -> None:
    """``--sarif``."""
    verb.add_argument(
        "--sarif",
        metavar="FILE",
        help="write all that is wrong as SARIF 2.1.0, which editors and code scanning read; - is "
        "standard output",
    )


def isolated(verb: argparse.ArgumentParser) -> None:
    """``--isolated``."""
    verb.add_argument(
        "--isolated",
        action="store_true",
        help="run it in child processes that may take no more than so much time and memory, write "
        "nothing and reach no network, as far as the system can forbid it",
    )


def autosync(verb: argparse.ArgumentParser, what: str) -> None:
    """``--autosync``."""
    verb.add_argument("--autosync", action="store_true", help=what)


def quiet(verb: argparse.ArgumentParser) -> None:
    """``--quiet``."""
    verb.add_argument("-q", "--quiet", action="store_true", help="print diagnostics only")


def program(verb: argparse.ArgumentParser) -> None:
    """The program that a verb is about."""
    verb.add_argument("program", help=PROGRAM)


def places(verb: argparse.ArgumentParser) -> None:
    """``--places``."""
    verb.add_argument(
        "--places",
        action="store_true",
        help="say the place of every tensor, also of those that the program does not place",
    )


# ---------------------------------------------------------------- which do not go together


def kernel_with_autosync(parsed: argparse.Namespace) -> str:
    """``--autosync`` of a kernel."""
    some = getattr(parsed, "programs", None) or [parsed.program]
    if parsed.autosync and any(map(program_names.kernel, some)):
        return "--autosync is for a text: a kernel has no waits of its own, and gets them anyway"
    return ""


def text_with_arguments(parsed: argparse.Namespace) -> str:
    """What a kernel is called with, of a text."""
    return _of_kernels(parsed, OF_KERNELS)


def text_with_inputs(parsed: argparse.Namespace) -> str:
    """The same, and arrays, which a verb that runs nothing gives to no text."""
    return _of_kernels(parsed, OF_KERNELS | {"inputs": "--in"})


OF_KERNELS = {
    "arguments": "--arg",
    "lnc": "--lnc",
    "dma": "--dma",
    "hoist": "--hoist",
    "overlap": "--overlap",
}
"""Options of kernels, by their names in a namespace."""


def _of_kernels(parsed: argparse.Namespace, only: dict[str, str]) -> str:
    if any(map(program_names.kernel, _programs(parsed))):
        return ""
    for name, option in only.items():
        if getattr(parsed, name) not in (None, []):
            return f"{option} goes with a kernel, kernel.py:name"
    return ""


def _programs(parsed: argparse.Namespace) -> list[str]:
    found: list[str] = parsed.programs if "programs" in parsed else [parsed.program]
    return found


def unwatched(parsed: argparse.Namespace) -> str:
    """What cannot be done again when files change."""
    if not parsed.watch:
        return ""
    if "-" in _programs(parsed):
        return "--watch wants files: standard input can be read once"
    for name, option in (("json", "--json"), ("timeout", "--timeout")):
        if getattr(parsed, name):
            return f"{option} does not go with --watch, which runs until Ctrl-C"
    taken = (getattr(parsed, name, None) for name in ("sarif", "trace", "html", "svg"))
    if "-" in taken:
        return "- is standard output, which does not go with --watch: name a file"
    return ""
