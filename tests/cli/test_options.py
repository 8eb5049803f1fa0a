"""Machine options: who may set them, what is refused, and where they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.apps.repl import main as repl
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import OptionOf
from nasm.isa.instruction import InstructionContext, Operand, Row, of_operands
from nasm.isa.isa import Isa
from nasm.isa.options import Option, defaults, in_force
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.options import DEFAULTS, OPTIONS
from tests.toy.target import GENERATION

PROGRAM = ".target trn2\n.hbm X f32[4] input = zeros\n@sync Nop\n"
WORD = Option("word", "one", "Which.", Evidence.ASSUMED, "a test", {"one": "1", "two": "2"})
COUNT = Option("count", 3, "How many.", Evidence.ASSUMED, "a test", low=1, high=9)


def refused(given: dict[str, object]) -> list[tuple[str, str, str]]:
    with pytest.raises(Failure) as raised:
        in_force((WORD, COUNT), given)
    return [(p.code, p.message, p.hint) for p in raised.value.problems]


# -- the list


def test_every_option_says_what_it_decides_and_who_says_so() -> None:
    for option in OPTIONS:
        assert option.summary.endswith(".")
        assert option.source
        assert option.accept(option.default) == option.default
        assert option.choices is None or len(option.choices) > 1
        assert option.choices is None or all(option.choices.values())
    assert len({o.name for o in OPTIONS}) == len(OPTIONS)


def test_generations_start_with_the_defaults() -> None:
    for generation in TARGET.generations:
        assert generation.options == DEFAULTS
        assert TARGET.chosen(generation) == {}


# -- values


def test_what_is_not_given_keeps_its_default() -> None:
    assert in_force((WORD, COUNT), {}) == {"word": "one", "count": 3}
    assert in_force((WORD, COUNT), {"count": "0x5"}) == {"word": "one", "count": 5}
    assert in_force((WORD, COUNT), {"count": 9, "word": "two"}) == {"word": "two", "count": 9}


@pytest.mark.parametrize("value", [0, 10, "ten", 2.5, True, None])
def test_an_integer_option_keeps_to_its_range(value: object) -> None:
    said = f"option count is an integer from 1 to 9, not {value!r}"
    assert refused({"count": value}) == [("E0809", said, "")]


def test_everything_wrong_is_reported_at_once_with_what_was_meant() -> None:
    assert refused({"wrod": "one", "word": "tow", "count": 4}) == [
        ("E0809", "the machine has no option 'wrod'", "did you mean 'word'?"),
        ("E0809", "option word is one or two, not 'tow'", "did you mean 'two'?"),
    ]
    assert refused({"zzz": 1})[0][2] == "'neuron-nasm isa --options' lists them"


def test_an_option_is_refused_on_a_generation_where_it_makes_no_difference() -> None:
    for name, value, wrong, right in (
        ("stride.sixteen", "full", "trn2", "trn1"),
        ("mx.scale255", "infinity", "trn2", "trn3"),
        ("copy_predicated.cost", "one_port", "trn1", "trn2"),
    ):
        nasm.Builder(right, options={name: value})
        with pytest.raises(Failure) as raised:
            nasm.Builder(wrong, options={name: value})
        (problem,) = raised.value.problems
        assert problem.message == f"this machine has no option '{name}'"
    assert problem.hint == ("it is an option of NeuronCore-v3 (Trn2) and NeuronCore-v4 (Trn3)")


def test_the_bounds_of_options_are_generations() -> None:
    names = {g.name for g in TARGET.generations}
    assert {o.since for o in OPTIONS} | {o.until for o in OPTIONS} <= names | {""}


# -- who sees them


@of_operands
def free(_: InstructionContext) -> Cost:
    return Cost(1, 1, Evidence.ASSUMED, "a test")


def row_with_option() -> Row:
    def Choosing(word: str) -> None:  # noqa: N802  (a mnemonic)
        """Do nothing."""

    isa = Isa("test")
    make = isa.instruction(
        Operand("word", OptionOf("word")),
        engines=("alpha",),
        cost=free(),
        source="a test",
        example="Choosing",
    )
    return make(Choosing)


def test_an_option_reaches_semantics_rules_and_costs() -> None:
    from dataclasses import replace

    row = row_with_option()
    generation = replace(GENERATION, options=defaults((WORD, COUNT)) | {"word": "two"})
    context = InstructionContext.of(row, (None,), "alpha", generation)
    assert context.generation.options["count"] == 3
    operand = row.operands[0]
    assert operand.implicit
    assert operand.kind.for_semantics(None, context) == "two"
    assert operand.kind.describe() == "the machine option word"


def test_python_sets_them() -> None:
    program = nasm.assemble(PROGRAM, options={"rounding": "stochastic", "rounding.seed": 7})
    assert program.options == DEFAULTS | {"rounding": "stochastic", "rounding.seed": 7}
    assert program.chosen == {"rounding": "stochastic", "rounding.seed": 7}
    session = Session.load(Source("x.nasm", PROGRAM), options={"rounding.seed": "7"})
    assert session.program.chosen == {"rounding.seed": 7}
    built = nasm.Builder("trn1", options={"nan.maximum": "ignore"})
    assert built.finish().chosen == {"nan.maximum": "ignore"}
    report = nasm.run(PROGRAM, options={"rounding.seed": 7}).report
    assert report.options == (("rounding.seed", 7),)
    assert nasm.run(PROGRAM, options={"rounding": "nearest"}).report.options == ()


def test_a_program_that_is_assembled_keeps_its_own() -> None:
    program = nasm.assemble(PROGRAM)
    with pytest.raises(Failure, match="E0810"):
        nasm.run(program, options={"rounding.seed": 7})
    with pytest.raises(Failure, match="E0809"):
        nasm.Builder("trn1", options={"no": 1})


@pytest.mark.parametrize("target", [None, "trn3"])
def test_a_wrong_option_is_no_fault_of_the_text(target: str | None) -> None:
    text = PROGRAM + "@sync Nap\n"
    with pytest.raises(Failure) as raised:
        nasm.assemble(text, target=target, options={"rounding": "stochastik"})
    first, second = raised.value.problems
    assert (first.code, first.span, first.hint) == ("E0809", None, "did you mean 'stochastic'?")
    assert second.code == "E0201"


# -- the command


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "x.nasm"
    file.write_text(PROGRAM)
    return str(file)


def test_the_command_sets_them_and_reports_those_that_differ(ran: Any, path: str) -> None:
    given = (
        "--option",
        "rounding=stochastic",
        "--option",
        "rounding.seed=0x10",
        "--option",
        "nan.maximum=propagate",
    )
    done = ran("run", path, *given)
    assert done.code == 0
    assert done.out.splitlines()[0].endswith(
        "NeuronCore-v3 (Trn2), rounding=stochastic, rounding.seed=16"
    )
    shown = json.loads(ran("run", path, "--json", *given).out)
    assert shown["options"] == {"rounding": "stochastic", "rounding.seed": 16}
    checked = json.loads(ran("check", path, "--json", *given).out)
    assert checked["files"][0]["options"] == shown["options"]
    assert json.loads(ran("run", path, "--json").out)["options"] == {}


@pytest.mark.parametrize("verb", ["run", "check", "repl"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rounding.sed=1", "did you mean 'rounding.seed'?"),
        ("rounding=nearby", "nearest or stochastic"),
        ("rounding.seed=-1", "an integer from 0"),
        ("rounding", "is not NAME=VALUE"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    ran: Any, path: str, verb: str, given: str, said: str
) -> None:
    extra = ("-ex", "run") if verb == "repl" else ()
    done = ran(verb, path, "--option", given, *extra)
    assert done.code == 2
    assert said in done.out + done.err


def test_isa_lists_them(ran: Any) -> None:
    done = ran("isa", "--options")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 100
    for option in OPTIONS:
        assert option.name in done.out
        assert all(word in done.out for word in option.choices or ())
    listed = json.loads(ran("isa", "--options", "--json").out)["options"]
    rows = [r for r in listed if r["target"] == "neuron"]
    assert [(r["name"], r["default"]) for r in rows] == [(o.name, o.default) for o in OPTIONS]
    seed = next(r for r in rows if r["name"] == "rounding.seed")
    assert (seed["choices"], seed["low"], seed["high"]) == (None, 0, 2**64 - 1)


def test_the_debugger_says_which_are_in_force(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repl(path, options={"rounding.seed": 5}, commands=["info options", "load"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[:3] for line in out.splitlines() if line.startswith("rounding")] == [
        ["rounding", "nearest", "nearest"],
        ["rounding.seed", "5", "0"],
    ]
    assert "NeuronCore-v3 (Trn2), rounding.seed=5" in out
