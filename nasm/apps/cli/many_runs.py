"""What the verbs share that make many runs: their options, and how they are made."""

from __future__ import annotations

import argparse
import os
import shlex
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names, results, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.arguments import Wrong
from nasm.apps.cli.verb import COMMAND
from nasm.base.problems import Failure, in_line, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from nasm.apps.cli.screen import Screen
    from nasm.sweeps.job import KernelCall, Parameter
    from nasm.sweeps.row import SweepRow
    from nasm.sweeps.sweep import SweepResult

    Make = Callable[..., SweepResult]
    """Makes the runs: sweep or tune."""

BY = ("time", "mfu", "bytes", "instructions")


def arguments(verb: argparse.ArgumentParser) -> None:
    """All options of runs, but for what chooses their values."""
    options.program(verb)
    verb.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUES",
        type=partial(_choices, values.define),
        action="append",
        default=[],
        help="values of a constant that the program declares with .const: 64,128 or 64..512:64 (in "
        "steps of 64) or 64..4096x2 (twice the one before)",
    )
    verb.add_argument(
        "--arg",
        dest="arguments",
        metavar="NAME=VALUES",
        type=partial(_choices, values.binding),
        action="append",
        default=[],
        help="the same of an argument of kernel.py:name, as Python writes it",
    )
    verb.add_argument(
        "--target",
        dest="targets",
        metavar="NAMES",
        type=lambda text: text.split(","),
        default=[],
        help="the targets: trn1,trn2",
    )
    verb.add_argument(
        "--option",
        dest="options",
        metavar="NAME=VALUES",
        type=partial(_choices, values.option),
        action="append",
        default=[],
        help="values of a machine option; 'neuron-nasm isa --options' lists them",
    )
    options.inputs(verb)
    options.inputs_folder(verb)
    options.timing(verb)
    options.files(verb)
    options.kernel_call(verb)
    over(verb)
    verb.add_argument(
        "--run-timeout", metavar="SECONDS", type=values.seconds, help="the most a run may take"
    )
    _written(verb)
    options.autosync(verb, "find the waits of a text, as 'sync'")
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.most_cycles(verb)
    options.limit(verb, "stop each run after N instructions")
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def over(verb: argparse.ArgumentParser) -> None:
    """What makes the runs."""
    over = verb.add_mutually_exclusive_group()
    over.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=values.count,
        help="make the runs in so many processes, by default as many as there are processors; 1 is "
        "this process",
    )
    over.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="make them on a Dask cluster: tcp://host:8786, or local to start one here",
    )


def _written(verb: argparse.ArgumentParser) -> None:
    """What is written of them."""
    verb.add_argument("--by", choices=BY, default="time", help="what runs are compared by")
    verb.add_argument(
        "--keep",
        metavar="FILE",
        help="keep rows in this file as they come; what is in it is not run again. By default "
        "PROGRAM.rows.jsonl in this folder",
    )
    verb.add_argument(
        "--no-keep", dest="keeps", action="store_false", help="keep nothing, and run everything"
    )
    verb.add_argument("--csv", metavar="FILE", help="write all rows as comma-separated values")
    verb.add_argument("--parquet", metavar="FILE", help="the same as Parquet, with pyarrow")
    verb.add_argument("--svg", metavar="FILE", help="write a picture, of one value or of two")


def _choices(read: Any, text: str) -> tuple[str, list[Any]]:
    """NAME=VALUES: each value is what ``read`` makes of NAME=VALUE."""
    name, equals, given = text.partition("=")
    if not equals or not given.strip():
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not NAME=VALUES, such as F=64,128")
    words = [each for part in _parts(given) for each in _ranged(part)]
    found = [read(f"{name}={word}") for word in words]
    return found[0][0], [value for _, value in found]


def _parts(text: str) -> list[str]:
    """A text at its commas, but for those in brackets and quotes."""
    found, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth and not quote:
            found.append("")
        else:
            found[-1] += sign
    return [part.strip() for part in found]


def _ranged(text: str) -> list[str]:
    """The numbers of a range, or the text itself; raises ArgumentTypeError."""
    begin, dots, rest = text.partition("..")
    sign = next((each for each in ":x" if each in rest), "")
    end, _, by = rest.partition(sign) if sign else (rest, "", "1")
    numbers = [part.strip().replace("_", "") for part in (begin, end, by)]
    if not dots or not all(part.isdecimal() for part in numbers):
        return [text]
    first, last, step = map(int, numbers)
    if last < first or step < (2 if sign == "x" else 1) or (sign == "x" and not first):
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is a range without an end")
    if sign == "x":
        found = [first]
        while found[-1] * step <= last:
            found.append(found[-1] * step)
        return [str(number) for number in found]
    if (last - first) // step >= 1_000_000:
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' has more than 1,000,000 values")
    return [str(number) for number in range(first, last + 1, step)]


# ---------------------------------------------------------------- the runs


def done(args: argparse.Namespace, screen: Screen, make: Make, **more: Any) -> int:
    """Make all runs; returns the exit code: 1 if none is ok, or one could not be made."""
    from nasm.show import sweep as shown

    files = _files(args)
    found = _made(args, screen, make, **more)
    screen.clear()
    for path, write in files.items():
        results.replace(path, partial(write, found))
    code = OK if found.best is not None and found.complete else BROKEN
    if args.json:
        from nasm.show.documents import plain
        from nasm.show.json_sweep import SWEEP

        return int(args.answer.give(code, **plain(found, SWEEP), problems=[]))
    if args.quiet:
        return code
    screen.show(*shown.report(found, screen.width, screen.ascii_only))
    if found.best is not None:
        screen.note(f"again: {again(args, found.best)}")
    for path in files:
        screen.note(f"wrote {in_line(path)}")
    return code


def _files(args: argparse.Namespace) -> dict[str, Any]:
    """The files that are asked for, each with what writes it; raises Failure for what cannot be."""
    from nasm.show import sweep as shown
    from nasm.show.sweep_picture import svg
    from nasm.show.table_files import ready

    if args.parquet:
        ready("parquet")
    writers = {"csv": shown.comma_separated, "parquet": shown.parquet, "svg": svg}
    files = {n: results.spelled(getattr(args, n)) for n in writers if getattr(args, n)}
    paths = [(f"the file of --{name}", path) for name, path in files.items()]
    wrong = results.clashes(paths, [("it is the program", _file(args))], args.json)
    wrong += [problem for _, path in paths if (problem := results.unwritable(path)) is not None]
    if wrong:
        raise Failure(wrong)
    return {path: writers[name] for name, path in files.items()}


def _file(args: argparse.Namespace) -> str:
    return program_names.file_of(args.program)


def again(args: argparse.Namespace, row: SweepRow) -> str:
    """The command that makes a run again."""
    from nasm.sweeps.sweep import OPTION, TARGET

    words = ["run", args.program]
    option = "--arg" if program_names.kernel(args.program) else "-D"
    for name, value in row.point.items():
        if name == TARGET:
            words += ["--target", str(value)]
        elif name.startswith(OPTION):
            words += ["--option", f"{name.removeprefix(OPTION)}={value}"]
        else:
            words += [option, f"{name}={value}"]
    for name, file in args.inputs:
        words += ["--in", f"{name}={file}"]
    for name, given in (("--in-dir", args.in_dir), ("--timing", args.timing)):
        words += [name, given] if given else []
    words += [word for folder in args.include for word in ("-I", folder)]
    words += ["--autosync"] if args.autosync else []
    words += [] if args.values else ["--no-values"]
    return shlex.join([COMMAND, *words])


def _made(args: argparse.Namespace, screen: Screen, make: Make, **more: Any) -> SweepResult:
    from nasm.apps.cli import arrays, files, programs
    from nasm.runs.settings import RunSettings

    kernel = program_names.kernel(args.program)
    grid = _grid(args, kernel)
    settings = programs.settings(args, defines={}, options={}, deadline=args.run_timeout)
    assert isinstance(settings, RunSettings)
    begun = time.monotonic()

    def watch(row: SweepRow, done: int, of: int) -> None:
        elapsed = time.monotonic() - begun
        left = elapsed / done * (of - done)
        screen.counting(f"runs, about {left:,.0f} s left", done, of, elapsed)

    keep = _keep(args)
    try:
        return make(
            args.program if kernel else files.program(args.program),
            grid,
            arrays.read(args.inputs) if kernel else arrays.inputs(args),
            executor=executor(args, screen),
            by=args.by,
            keep=keep,
            watch=watch,
            kernel=_call(args) if kernel else None,
            settings=settings,
            **more,
        )
    except KeyboardInterrupt:
        screen.clear()
        if keep is not None:
            screen.note(f"what was run is kept in {in_line(keep)}: the same command continues")
        raise


def executor(args: argparse.Namespace, screen: Screen) -> Any:
    """What -j and --scheduler ask for; raises Failure for a cluster that cannot be used."""
    if args.scheduler is None:
        count = args.jobs or os.cpu_count() or 1
        return None if count == 1 else count
    from nasm.workers.pools import Cluster

    found = Cluster(args.scheduler)
    if found.dashboard and not args.quiet:
        screen.note(f"dashboard: {found.dashboard}")
    return found


def _keep(args: argparse.Namespace) -> str | None:
    if not args.keeps:
        return None
    name = os.path.basename(_file(args)) if args.program != "-" else "stdin"
    return args.keep or f"{os.path.splitext(name)[0]}.rows.jsonl"


def _call(args: argparse.Namespace) -> KernelCall:
    from nasm.nki.engines import USUAL
    from nasm.sweeps.job import KernelCall

    python = program_names.python(args)
    return KernelCall(
        name=args.program, lnc=args.lnc, dma=args.dma or USUAL, hoist=args.hoist, python=python
    )


def _grid(args: argparse.Namespace, kernel: bool) -> dict[str, list[Parameter]]:
    """The values of each name; raises Wrong for one that is given twice."""
    from nasm.sweeps.sweep import OPTION, TARGET

    if kernel and args.defines:
        raise Wrong("-D sets a constant of a text: an argument of a kernel is --arg NAME=VALUE")
    grid: dict[str, list[Parameter]] = {}
    for name, given in (
        *args.defines,
        *args.arguments,
        *((f"{OPTION}{name}", given) for name, given in args.options),
        *([(TARGET, args.targets)] if args.targets else []),
    ):
        if name in grid:
            raise Wrong(f"{name} is given twice: write its values after one =")
        grid[name] = given
    return grid
