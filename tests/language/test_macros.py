"""Macros: what an expansion is, what names mean in it, and what is said of one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nasm
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.program.instruction_text import operands
from nasm.program.program import Instruction, Program
from nasm.targets import TARGETS
from tests.parts import examples

HEAD = ".target trn2\n"


def program(text: str, **defines: object) -> Program:
    return assemble(Source("test.nasm", HEAD + text), TARGETS, None, defines)


def problems(text: str) -> list[Problem]:
    with pytest.raises(Failure) as caught:
        program(text)
    return list(caught.value.problems)


def said(text: str) -> list[tuple[str, str]]:
    return [(p.code, p.message) for p in problems(text)]


def lines(made: Program) -> list[str]:
    """Every instruction with its engine, wait and update, queue by queue."""
    names = {n: name for table in (made.semaphores, made.events) for name, n in table.items()}
    found = []
    for number, queue in enumerate(made.queues):
        for pc in range(len(queue)):
            wait = made.waits[queue.waits[pc]]
            update = made.updates[queue.updates[pc]]
            parts = [queue.engine, _said(made.instruction(number, pc))]
            if wait:
                parts.append(f"${names[wait.semaphore]} {wait.op} {wait.value}")
            if update:
                parts.append(f"${names[update.semaphore]} {update.op} {update.value}")
            found.append(" ".join(parts))
    return found


def _said(instruction: Instruction) -> str:
    return f"{instruction.row.name} {operands(instruction)}".rstrip()


# -- parameters


def test_arguments_are_given_by_position_and_by_name_and_defaults_use_earlier_ones() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n"
        ".macro m(x, low=1, high=low + shape(x, 1))\n@vector Memset x[:, low : high], high\n.end\n"
        "m(a, high=3)\nm(low=2, x=a, high=4)\nm(a[:, 0:4], 0, 2)\nm(a[:, 0:5], high=5, low=-3)\n"
    )
    assert lines(made) == [
        "vector Memset a[:, 1:3], 3",
        "vector Memset a[:, 2:4], 4",
        "vector Memset a[:, 0:2], 2",
        "vector Memset a[:, 2:5], 5",
    ]


def test_a_default_is_evaluated_where_the_macro_is_declared() -> None:
    made = program(
        ".const N = 3\n.sbuf a f32[128, 8]\n.macro m(n=N, N=5)\n@vector Memset a, n + N\n.end\n"
        ".for N2 in 0..1\nm()\n.end\n"
    )
    assert lines(made) == ["vector Memset a, 8"]


def test_everything_that_a_line_names_may_be_a_parameter() -> None:
    made = program(
        ".hbm x f32[128, 8]\n.sbuf a f32[128, 8]\n.sbuf b f32[128, 8]\n.sem s0, go\n"
        ".dma load\na <- x\n.end\n"
        ".macro m(t, s, e, eng, op, dt, reg, d, w)\n"
        ".sbuf own {dt}[128, 8]\n"
        "@eng TensorScalar own, t[:, 0:8], op0=op, operand0=w    $s >= 1  $go++\n"
        "@e Activation b, own, op=relu\n"
        "@gpsimd RegisterMove reg, 4\n"
        "@sync DmaTrigger d  $s += 16\n"
        ".end\n"
        "m(a, $s{0}, scalar, @dve, maximum, bf16, %r7, load, 1.5)\n"
    )
    assert lines(made) == [
        "vector TensorScalar m_1_own, a, op0=maximum, operand0=1.5 $s0 >= 1 $go + 1",
        "scalar Activation b, m_1_own, op=relu",
        "gpsimd RegisterMove %r7, 4",
        "sync DmaTrigger load $s0 + 16",
    ]
    assert made.tensors["m_1_own"].dtype.name == "bfloat16"


def test_words_go_through_macros_and_are_compared_by_their_names() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n"
        ".macro inner(op)\n@scalar Activation a, a, op=op\n"
        '.if op == "relu" or "gelu" != op and false\n@vector Memset a, 1\n.end\n.end\n'
        ".macro outer(f=tanh)\ninner(f)\n.end\n"
        "outer()\nouter(relu)\n"
    )
    assert lines(made) == [
        "vector Memset a, 1",
        "scalar Activation a, a, op=tanh",
        "scalar Activation a, a, op=relu",
    ]


# -- names


def test_what_a_macro_declares_is_its_own_in_each_expansion() -> None:
    made = program(
        ".const K = 9\n.sbuf t f32[128, 2]\n.sem s\n"
        ".macro m(n)\n"
        ".const K = n * 2\n.sbuf t f32[128, K]\n.sem s\n.view v = t[:, 0:1]\n"
        ".hbm h{n} f32[128, K]\n.dma d\nt <- h{n}\n.end\n"
        "@sync DmaTrigger d  $s += 16\n"
        "again: @vector Memset v, K  $s >= 16\n"
        "@vector CompareBranch target=again\n"
        ".end\n"
        "m(1)\nm(2)\n@vector Memset t, K $s++\n"
    )
    assert list(made.tensors) == ["t", "m_1_t", "m_1_h1", "m_2_t", "m_2_h2"]
    assert list(made.semaphores) == ["s", "m_1_s", "m_2_s"]
    assert list(made.transfers) == ["m_1_d", "m_2_d"]
    vector = next(q for q in made.queues if q.engine == "vector")
    assert vector.labels == {"m_1_again": 0, "m_2_again": 2}
    assert lines(made)[:5] == [
        "vector Memset m_1_t[:, 0:1], 2 $m_1_s >= 16",
        "vector CompareBranch target=m_1_again",
        "vector Memset m_2_t[:, 0:1], 4 $m_2_s >= 16",
        "vector CompareBranch target=m_2_again",
        "vector Memset t, 9 $s + 1",
    ]


def test_names_with_the_same_template_are_those_of_their_expansion() -> None:
    made = program(
        ".macro m(n)\n.for k in 0..2\n.sbuf t{k} f32[128, n]\n.sem s{k}\n.end\n"
        ".for k in 0..2\n@vector Memset t{k}, n  $s{k}++\n.end\n.end\nm(1)\nm(2)\n"
    )
    assert lines(made) == [
        f"vector Memset m_{n}_t{k}, {n} $m_{n}_s{k} + 1" for n in (1, 2) for k in (0, 1)
    ]


def test_an_exported_name_is_declared_where_the_macro_is_called() -> None:
    made = program(
        ".macro inner(n)\n.sbuf @export t f32[128, n]\n.const @export K = n + 1\n"
        ".sem @export s\n@vector Memset t, K  $s++\n.end\n"
        ".macro outer(n)\ninner(n)\n@scalar Activation t, t, op=relu  $s >= 1\n"
        ".const @export M = K + 1\n.end\n"
        "outer(2)\ninner(6)\n@vector Memset t, K + M  $s >= 1\n"
    )
    assert lines(made) == [
        "vector Memset outer_1_t, 3 $outer_1_s + 1",
        "vector Memset t, 7 $s + 1",
        "vector Memset t, 11 $s >= 1",
        "scalar Activation outer_1_t, outer_1_t, op=relu $outer_1_s >= 1",
    ]
    assert made.constants == {"M": 4, "K": 7}


def test_labels_may_be_exported_passed_and_the_files() -> None:
    made = program(
        ".macro inner(to)\n@vector CompareBranch target=to\n"
        "@vector CompareBranch target=top\n@export end: @vector Nop\n.end\n"
        ".macro outer()\ntop2: @vector Nop\ninner(top2)\n@vector CompareBranch target=end\n.end\n"
        "top: @vector Nop\nouter()\ninner(top)\n@vector CompareBranch target=end\n"
        "last: @vector outer()\n"
        "@vector CompareBranch target=last\n"
    )
    assert [line.removeprefix("vector ") for line in lines(made)] == [
        "Nop",
        "Nop",
        "CompareBranch target=outer_1_top2",
        "CompareBranch target=top",
        "Nop",
        "CompareBranch target=outer_1_end",
        "CompareBranch target=top",
        "CompareBranch target=top",
        "Nop",
        "CompareBranch target=end",
        "Nop",
        "CompareBranch target=outer_2_top2",
        "CompareBranch target=top",
        "Nop",
        "CompareBranch target=outer_2_end",
        "CompareBranch target=last",
    ]


def test_a_macro_sees_the_file_and_not_the_rounds_around_its_call() -> None:
    text = ".sbuf a f32[128, 8]\n.macro m()\n@vector Memset a, N{}\n.end\n"
    made = program(text.format("") + ".const N = 1\n.for k in 0..2\n.const M = k\nm()\n.end\n")
    assert lines(made) == ["vector Memset a, 1"] * 2
    inside = text.format(" + k") + ".const N = 1\n.for k in 0..2\nm()\n.end\n"
    assert said(inside) == [("E0208", "nothing is called 'k'")]


def test_a_round_in_a_macro_has_constants_of_its_own() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n.const k = 7\n"
        ".macro m()\n.for k in 0..2\n.const D = k * 2\n@vector Memset a, D\n.end\n"
        "@vector Memset a, k\n.end\nm()\n"
    )
    assert lines(made) == [f"vector Memset a, {n}" for n in (0, 2, 7)]


def test_engines_and_cores_chosen_in_a_macro_end_with_it() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n.macro m()\n@scalar\nNop\n.core 1\nNop\n.end\n"
        "@vector\nNop\nm()\nNop\n.macro n()\nNop\n.end\nn()\n@gpsimd n()\nNop\n"
    )
    counts = {(q.core, q.engine): len(q) for q in made.queues if len(q)}
    assert counts == {(0, "vector"): 4, (0, "scalar"): 1, (1, "scalar"): 1, (0, "gpsimd"): 1}


def test_a_name_of_the_program_that_is_taken_gets_another() -> None:
    made = program(".sbuf m_1_t f32[128, 8]\n.macro m()\n.sbuf t f32[128, 8]\n.end\nm()\n")
    assert list(made.tensors) == ["m_1_t", "m_1_t_"]


# -- calls of calls


def test_a_macro_may_call_itself_a_hundred_deep() -> None:
    text = (
        ".sbuf a f32[128, 8]\n.macro m(n)\n.if n > 0\n.for k in 0..1\nm(n - 1)\n.end\n.end\n"
        "@vector Memset a, n\n.end\n"
    )
    assert lines(program(f"{text}m(99)\n")) == [f"vector Memset a, {n}" for n in range(100)]
    (problem,) = problems(f"{text}m(100)\n")
    assert (problem.code, problem.message) == (
        "E0227",
        "macros call each other 101 deep; wanted at most 100",
    )
    assert problem.span is not None
    assert len(problem.span.chain) == 200


def test_what_macros_make_is_counted() -> None:
    text = ".macro m()\n.const A = 1\n.const B = 1\n.end\n.for k in 0..1000000\nm()\n.end\n"
    (problem,) = problems(text)
    assert problem.code == "E0218"


# -- places


def test_an_instruction_keeps_its_place_in_the_macro_and_the_calls_that_led_there() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n.macro in_(x)\n@vector Memset x, 1\n.end\n"
        ".macro out(x,  n=2)\n.for k in 0..n\nin_(x[:, k : +1])\n.end\n.end\nout(a,\n    n=1)\n"
    )
    queue = next(q for q in made.queues if q.engine == "vector")
    span = made.spans[queue.spans[0]]
    assert span is not None
    assert (span.line, span.text) == (4, "Memset x, 1")
    chain = [(f.what, f.span.line) for f in made.chains[queue.chains[0]]]
    assert chain == [("out(a, n=1)", 11), (".for k = 0", 7), ("in_(x[:, k : +1])", 8)]


def test_a_macro_that_is_not_called_is_read_and_not_evaluated() -> None:
    assert lines(program(".macro m(x)\n@vector Nothing x, y, z{k}\n.end\n")) == []
    assert [c for c, _ in said(".macro m(x)\n@vector Memset x y\n.end\n")] == ["E0107"]


def test_expectations_of_a_macro_are_on_its_own_names_and_what_it_was_handed() -> None:
    text = (
        ".sbuf a f32[128, 8]\n.sbuf t f32[128, 2]\n"
        ".macro m(x, n)\n.sbuf t f32[128, 2]\n@vector Memset x, n\n@vector Memset t, n + 1\n"
        ".expect x == n\n.expect t == n + 1\n.expect t[3] @ x.T == 2 * n * (n + 1)\n"
        ".expect sum(x, axis=1) == 2 * n\n.end\n"
        "m(a[:, 1:3], 4)\nm(a[:, 3:8:4], 5)\n@vector Memset t, 0\n.expect t == {}\n"
    )
    assert nasm.run(HEAD + text.format(0)).ok
    assert not nasm.run(HEAD + text.format(4)).ok
    from nasm.language.printing import text as printed

    again = printed(program(text.format(0)))
    assert ".expect  a[:, 1:3] == 4" in again
    assert ".expect  m_2_t == 5 + 1" in again
    assert nasm.run(again).ok


def test_an_expectation_on_a_view_that_a_register_moves_is_refused() -> None:
    text = ".sbuf a f32[128, 8]\n.macro m(x)\n.expect x == 1\n.end\nm(a[:, %r1 : +2])\n"
    assert [c for c, _ in said(text)] == ["E0210"]


# -- random macros, against their text with the arguments in the places of the parameters

NUMBERS = st.integers(0, 9)
TERMS = st.one_of(st.sampled_from(["a", "b", "c"]), NUMBERS.map(str))


@st.composite
def macros(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int, int]]]:
    body: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        left, right = draw(TERMS), draw(TERMS)
        value = f"{left} {draw(st.sampled_from('+-*'))} {right}"
        kind = draw(st.integers(0, 3))
        if kind == 0:
            body += [f".const L{number} = {value}", f"@vector Memset x, L{number}"]
        elif kind == 1:
            body += [
                f".for k in 0..{left}",
                f"@scalar RegisterMove %r{number}, k + {right}",
                ".end",
            ]
        elif kind == 2:
            body += [f".if {left} > {right}", f"@vector Memset x[:, {right} : +1], {left}", ".end"]
        else:
            body += [f".sbuf t{number} f32[128, {left} + 1]", f"@gpsimd Memset t{number}, {value}"]
    calls = draw(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=4))
    return body, calls


def substituted(line: str, values: dict[str, str]) -> str:
    """A line with whole words replaced, which is all that these macros need."""
    return re.sub(r"\b[A-Za-z]\w*", lambda m: values.get(m[0], m[0]), line)


@settings(max_examples=examples(60, 8), deadline=None)
@given(macros())
def test_an_expansion_is_the_text_of_the_macro_with_the_arguments_in(
    made: tuple[list[str], list[tuple[int, int, int]]],
) -> None:
    body, calls = made
    text = [".sbuf x0 f32[128, 16]", ".macro m(x, a, b, c=3)", *body, ".end"]
    plain = [".sbuf x0 f32[128, 16]"]
    for number, (a, b, c) in enumerate(calls, 1):
        text.append(f"m(x0, {a}, c={c}, b={b})" if c != 3 else f"m(x0, {a}, {b})")
        own = {f"{kind}{n}": f"m_{number}_{kind}{n}" for kind in "Lt" for n in range(4)}
        values = {"x": "x0", "a": str(a), "b": str(b), "c": str(c), **own}
        plain += [substituted(line, values) for line in body]
    one, other = program("\n".join(text)), program("\n".join(plain))
    assert lines(one) == lines(other)
    assert list(one.tensors) == list(other.tensors)
    places = [[(t.shape, t.offset) for t in p.tensors.values()] for p in (one, other)]
    assert places[0] == places[1]


# -- views


def test_a_view_has_a_name_wherever_a_tensor_is() -> None:
    made = program(
        ".hbm X f32[128, 8]\n.sbuf a f32[128, 8]\n.view low = a[:, 0:4]\n.view one = low[:, 1:2]\n"
        ".for k in 0..2\n.view v = low[:, 2*k : +2]\n"
        "@vector Memset v, sizeof(v) + shape(one, 1)\n.end\n"
        ".view w{3} = a.view(u8)\n.dma d\nlow <- X[:, 0:4]\n.end\n@vector Memset w3[:, 0:1], 2\n"
    )
    assert lines(made) == [
        "vector Memset a[:, 0:2], 9",
        "vector Memset a[:, 2:4], 9",
        "vector Memset a.view(uint8)[:, 0:1], 2",
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (".view a = a[0:2]", "E0202"),
        (".view N = a", "E0202"),
        (".view v = 3", "E0301"),
        (".view v = b", "E0208"),
        (".const C = a[0:2]", "E0210"),
    ],
)
def test_what_cannot_be_a_view(line: str, code: str) -> None:
    assert [c for c, _ in said(f".const N = 2\n.sbuf a f32[128, 8]\n{line}\n")] == [code]


def test_a_macro_is_in_no_loop_however_deep() -> None:
    text = ".for k in 0..2\n.if k == 0\n.macro f()\n@vector Nop\n.end\n.end\n.end\n"
    assert said(text) == [("E0228", "'.macro' inside of a '.for' block")]


def test_nothing_but_the_end_follows_on_an_else() -> None:
    lines = ".if 1\n.else\n.elif 2\n.else\n.end\n"
    assert [(p.code, p.message, p.span and p.span.line) for p in problems(lines)] == [
        ("E0118", "'.elif' is out of place: its '.if' already has an '.else'", 4),
        ("E0118", "'.else' is out of place: its '.if' already has an '.else'", 5),
    ]


NAMED = """\
.sbuf x f32[128, 8]
.macro f(n, eng=vector)
.sbuf t f32[128, 8]
.const N = 8
.sem done
@eng Memset t, n  $done++
@eng Memset x, n  post made
.end
f(1)
"""


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("@vector Memset t, 1.0", "E0208", "t of f(n, eng=vector) is the macro's own: '@export t'"),
        ("@vector Memset x[:, 0:N], 1.0", "E0208", "N of f(n, eng=vector) is the macro's own"),
        ("@vector Nop $done >= 1", "E0206", "'@export done' declares it for callers"),
        ("@vector Nop after made", "E0331", "made of f(1) is the macro's own: let the call hand"),
        ("@vector Memset y, 1.0", "E0208", "wanted a tile"),
    ],
)
def test_what_only_a_macro_has_declared_is_said_to_be_its_own(
    line: str, code: str, hint: str
) -> None:
    (found,) = problems(f"{NAMED}{line}\n")
    assert (found.code, hint in found.hint) == (code, True), found.hint


def test_what_a_macro_declares_that_nothing_calls_is_nobodys() -> None:
    (found,) = problems(NAMED.replace("f(1)\n", "@vector Memset t, 1.0\n"))
    assert found.hint == "wanted a tile in sbuf or psum: '.sbuf t dtype[shape]'"


def test_an_engine_that_is_passed_as_something_else_is_reported() -> None:
    (found, _) = problems(NAMED.replace("f(1)", 'f(1, "vector")'))
    assert found.message == "'eng' is no engine, but the string \"vector\""
    assert found.hint == "an engine is passed to a macro by its name: '@vector', or 'vector'"
    (found,) = problems(".for e in 0..2\n@t{e} Nop\n.end\n")
    assert found.hint.startswith("an engine has no template: a macro takes one")


# -- blocks


def test_constants_of_blocks_that_have_ended_may_be_declared_anew() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n"
        ".if 1\n.const N = 1\n@vector Memset a, N\n.end\n@vector Memset a, N\n"
        ".if 1\n.const N = 2\n@vector Memset a, N\n.else\n.const N = 3\n.end\n@vector Memset a, N\n"
        ".const N = 4\n@vector Memset a, N\n"
        ".expect a == N\n"
    )
    assert lines(made) == [f"vector Memset a, {n}" for n in (1, 1, 2, 2, 4)]
    assert said(".const N = 1\n.if 1\n.const N = 2\n.end\n") == [
        ("E0202", "'N' is already declared")
    ]


# -- included files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.nasm").write_text(
        '.target trn2\n.include "lib/a.nasm"\n.include "lib/../lib/a.nasm"\n'
        "fill(t, N)\n.expect t == N\n"
    )
    (tmp_path / "lib/a.nasm").write_text(
        '.target gen3\n.include "../main.nasm"\n.include "b.nasm"\n'
        ".const N = 5\n.sbuf t f32[128, M]\n"
    )
    (tmp_path / "lib/b.nasm").write_text(
        '.include "a.nasm"\n.const M = 4\n.macro fill(x, n)\n@vector Memset x, n\n.end\n'
    )
    return tmp_path


def test_a_file_is_included_once_and_relative_to_the_one_that_says_so(folder: Path) -> None:
    assert nasm.run(folder / "main.nasm").ok


def test_a_problem_in_an_included_file_points_into_it(folder: Path) -> None:
    file = folder / "lib/b.nasm"
    file.write_text(
        file.read_text().replace("Memset x, n", "Memset x, n, 3, 4") + ".sbuf y f32[1\n"
    )
    with pytest.raises(Failure) as caught:
        nasm.assemble(folder / "main.nasm")
    places = [(p.span.source.name, p.span.line) for p in caught.value.problems if p.span]
    assert places == [(str(file), 4), (str(file), 6)]


def test_included_files_are_looked_for_in_the_folders_that_are_named(folder: Path) -> None:
    text = '.target trn2\n.include "c.nasm"\n.sbuf t f32[128, M]\n'
    (folder / "other.nasm").write_text(text)
    (folder / "lib/c.nasm").write_text(".const M = 3\n")
    with pytest.raises(Failure) as caught:
        nasm.assemble(folder / "other.nasm", include=folder)
    notes = [n.message for n in caught.value.problems[0].notes]
    assert notes == [f"not found: {folder}/c.nasm", f"not found: {folder}/c.nasm"]
    made = nasm.assemble(folder / "other.nasm", include=[folder, str(folder / "lib")])
    assert made.tensors["t"].shape == (128, 3)
    with pytest.raises(Failure, match="no folder"):
        nasm.assemble(folder / "other.nasm", include=folder / "none")


def test_included_files_are_files_that_a_program_may_read(folder: Path) -> None:
    for allowed in (False, folder / "lib"):
        text = '.target trn2\n.include "main.nasm"\n'
        with pytest.raises(Failure, match="may not be read"):
            nasm.assemble(Source(str(folder / "x.nasm"), text), files=allowed)
    assert nasm.assemble(folder / "main.nasm", files=folder)


def test_another_target_in_an_included_file_is_refused(folder: Path) -> None:
    file = folder / "lib/a.nasm"
    file.write_text(file.read_text().replace("gen3", "trn1"))
    with pytest.raises(Failure, match="this file is for trn1, and the program for trn2"):
        nasm.assemble(folder / "main.nasm")


def test_what_comments_of_an_included_file_allow_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.nasm").write_text("@vector Memset t, 0 ; nasm: allow E0502 no matter\n")
    (tmp_path / "m.nasm").write_text('.target trn2\n.sbuf t f32[128, 8]\n.include "x.nasm"\n')
    made = nasm.assemble(tmp_path / "m.nasm")
    assert [(a.code, a.span.source.name) for a in made.allows] == [
        ("E0502", str(tmp_path / "x.nasm"))
    ]


# -- moments


def test_moments_of_a_macro_are_its_own_the_callers_or_the_files() -> None:
    text = (
        ".target trn2\n.hbm X f32[128, 64] input = iota\n.hbm O f32[128, 64] output\n"
        ".sbuf y f32[128, 64]\n"
        ".macro load(dst, before)\n"
        "@sync DmaCopy dst, X  after before, ready  post here  \n"
        "@vector Nop  after here  post @export loaded\n.end\n"
        ".macro twice(k)\nload(y[:, 0:64], start)\n@gpsimd Nop  after loaded, start  post both[k]\n"
        "@scalar Nop  after both[k]  post @export done\n.end\n"
        "@vector Nop  post ready\n@scalar Nop  post start\ntwice(3)\n"
        "load(y, done)\n@sync DmaCopy O, y  after loaded\n@sync .drain\n.expect O == X\n"
    )
    result = nasm.run(text)
    assert result.ok
    assert not nasm.check(text).problems


def test_a_moment_that_a_macro_posts_is_not_seen_outside() -> None:
    text = (
        ".hbm O f32[128, 64] output\n.sbuf y f32[128, 64]\n"
        ".macro m()\n@vector Memset y, 1  post mine\n.end\nm()\n@gpsimd Nop  after mine\n"
    )
    (problem,) = problems(text)
    assert "mine" in problem.message


def test_loops_at_run_time_and_macros_hold_each_other() -> None:
    text = (
        ".target trn2\n.sbuf y f32[128, 64]\n.sbuf z f32[128, 64]\n"
        ".macro fill(k, x)\n@vector Memset x[:, k : +1], 1\n.end\n"
        ".macro all(x)\n.loop k in 0..64\nfill(k, x)\n.end\n.end\n"
        ".loop k in 0..64 step 2\nfill(k, y)\nfill(k + 1, y)\n.end\nall(z)\n"
        ".expect y == 1\n.expect z == 1\n"
    )
    assert nasm.run(text).ok
