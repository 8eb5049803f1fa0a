"""From text to tree: what was written, and where."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import lark
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.text import gradual_lexer, grammar, parse_tables, tree
from nasm.language.text.directives import TreeBuilder
from nasm.language.text.parse import parse
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.tree import (
    Binary,
    CounterName,
    EngineName,
    ExportedName,
    ExportedNamed,
    ExportedTemplate,
    For,
    Include,
    InstructionLine,
    List,
    MacroCall,
    Name,
    NamedArgument,
    NumberLiteral,
    Slice,
    StringLiteral,
    Subscript,
    Template,
    Unary,
    UpdateClause,
    WaitClause,
)
from tests.parts import part

PROGRAMS = Path(__file__).parents[2] / "programs"


# ------------------------------------------------------------------ programs


@pytest.mark.parametrize("name", ["matmul", "matmul_k", "softmax", "countdown"])
def test_a_program_parses_without_problems(name):
    text = (PROGRAMS / f"{name}.nasm").read_text(encoding="utf-8")
    file, problems = parse(Source(name, text))
    assert problems == []
    assert len(file.body) > 10


def test_the_smallest_program_has_the_statements_that_were_written():
    text = (PROGRAMS / "matmul.nasm").read_text(encoding="utf-8")
    file, _ = parse(Source("matmul", text))
    kinds = [type(s).__name__ for s in file.body]
    declared = ["TargetLine"] + ["TensorLine"] * 7 + ["SemLine"]
    assert kinds == declared + ["InstructionLine"] * 7 + ["Expect"]


# --------------------------------------------------------------------- spans


def test_an_instruction_line_in_full_with_every_offset():
    #       0         1         2         3         4
    #       0123456789012345678901234567890123456789012345678
    text = "go:  @pe  Mul  acc, b[0:64], n=-1  $s >= 2  $t++ ; c"
    assert parse(Source("x", text))[0].body == (
        InstructionLine(
            0,
            48,
            Name(0, 2, "go"),
            Name(6, 8, "pe"),
            Name(10, 13, "Mul"),
            (
                Name(15, 18, "acc"),
                Subscript(
                    20,
                    27,
                    Name(20, 21, "b"),
                    (
                        Slice(
                            22, 26, NumberLiteral(22, 23, 0), NumberLiteral(24, 26, 64), None, None
                        ),
                    ),
                ),
                NamedArgument(29, 33, "n", Unary(31, 33, "-", NumberLiteral(32, 33, 1))),
            ),
            (
                WaitClause(35, 42, Name(36, 37, "s"), ">=", NumberLiteral(41, 42, 2)),
                UpdateClause(44, 48, Name(45, 46, "t"), "++", None, False),
            ),
        ),
    )


def test_a_tensor_line_in_full_with_every_offset(statement):
    #       0         1         2         3         4
    #       01234567890123456789012345678901234567890123456
    text = "\n .sbuf t{k} bf16[128, 4] @ 0:64 input = [1]"
    assert statement(text) == tree.TensorLine(
        2,
        44,
        Name(3, 7, "sbuf"),
        Template(8, 12, ("t", Name(10, 11, "k"))),
        Name(13, 17, "bf16"),
        (NumberLiteral(18, 21, 128), NumberLiteral(23, 24, 4)),
        Name(33, 38, "input"),
        List(41, 44, (NumberLiteral(42, 43, 1),)),
        ("at", NumberLiteral(28, 29, 0), NumberLiteral(30, 32, 64)),
    )


def test_a_block_spans_from_its_directive_to_its_end():
    text = "; first\n.for k in 0..4\n  Nop k\n.end ; last"
    (block,) = parse(Source("x", text))[0].body
    assert text[block.start : block.end] == ".for k in 0..4\n  Nop k\n.end"
    (line,) = block.body
    assert text[line.start : line.end] == "Nop k"


# -------------------------------------------------------- instruction lines


def test_a_label_and_an_engine_may_are_alone(statement):
    assert statement("again:") == InstructionLine(0, 6, Name(0, 5, "again"), None, None, (), ())
    assert statement("@pe") == InstructionLine(0, 3, None, Name(1, 3, "pe"), None, (), ())
    assert statement("l: @pe") == InstructionLine(
        0, 6, Name(0, 1, "l"), Name(4, 6, "pe"), None, (), ()
    )


def test_a_label_may_be_a_template(statement):
    line = statement("l{k}: Nop")
    assert line.label == Template(0, 4, ("l", Name(2, 3, "k")))
    assert line.mnemonic == Name(6, 9, "Nop")


def test_a_positional_operand_behind_a_named_one_is_left_to_later_checks(statement, shape):
    assert [shape(o) for o in statement("Add a=1, b").operands] == ["a=1", "b"]


def test_an_operand_may_begin_with_a_bracket_that_does_not_touch_the_mnemonic(statement, shape):
    assert [shape(o) for o in statement("Add (a + b), [1]").operands] == ["(a + b)", "[1]"]


@pytest.mark.parametrize(
    ("text", "op", "value", "at_read"),
    [
        ("$s++", "++", "", False),
        ("$s--", "--", "", False),
        ("$s += 16", "+=", "16", False),
        ("$s -= n+1", "-=", "(n + 1)", False),
        ("$s = 0", "=", "0", False),
        ("$s++ @read", "++", "", True),
        ("$s++@complete", "++", "", False),
        ("$s += n @read", "+=", "n", True),
        ("$s=-1", "=", "(- 1)", False),
    ],
)
def test_updates(statement, shape, text, op, value, at_read):
    (update,) = statement(f"Nop {text}").sync
    assert (update.op, shape(update.value), update.at_read) == (op, value, at_read)
    assert (update.start, update.end, update.name) == (4, 4 + len(text), Name(5, 6, "s"))


@pytest.mark.parametrize("op", [">=", "==", ">", "<", "<=", "!="])
def test_every_comparison_behind_a_semaphore_is_a_wait(statement, shape, op):
    (wait,) = statement(f"Nop $s {op} -n").sync
    assert (wait.op, shape(wait.value)) == (op, "(- n)")


def test_all_waits_and_updates_are_kept_in_the_order_written(statement):
    sync = statement("Nop a $s++ $t >= 1 $u = 2 $v == 3").sync
    assert [(type(s).__name__, s.name.name) for s in sync] == [
        ("UpdateClause", "s"),
        ("WaitClause", "t"),
        ("UpdateClause", "u"),
        ("WaitClause", "v"),
    ]


def test_a_semaphore_may_be_a_template(statement):
    (wait,) = statement("Nop $s{k}_x >= 1").sync
    assert (wait.start, wait.name) == (4, Template(5, 11, ("s", Name(7, 8, "k"), "_x")))


# ---------------------------------------------------------------- directives


def test_constants(statement):
    assert statement(".const N = 512, K = N // 4") == tree.Const(
        0,
        26,
        (
            NamedArgument(7, 14, "N", NumberLiteral(11, 14, 512)),
            NamedArgument(
                16, 26, "K", Binary(20, 26, Name(20, 21, "N"), "//", NumberLiteral(25, 26, 4))
            ),
        ),
    )


def test_version_and_target(statement):
    assert statement(".nasm 1") == tree.Version(0, 7, NumberLiteral(6, 7, 1))
    assert statement(".target trn1") == tree.TargetLine(0, 12, Name(8, 12, "trn1"))


def test_semaphores_and_events(statement):
    assert statement(".sem a, b{k} = 7") == tree.SemLine(
        0,
        16,
        "sem",
        (
            (Name(5, 6, "a"), None),
            (Template(8, 12, ("b", Name(10, 11, "k"))), NumberLiteral(15, 16, 7)),
        ),
    )
    assert statement(".event e").kind == "event"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", None),
        (" @ bank N", ("bank", "N", "")),
        (" @bank 1 + 1", ("bank", "(1 + 1)", "")),
        (" @ 0:64", ("at", "0", "64")),
        (" @ P : B", ("at", "P", "B")),
        (" @ bank(t) : 0", ("at", "bank(t)", "0")),
    ],
)
def test_places(statement, shape, text, place):
    found = statement(f".psum t f32[4]{text}").place
    assert (found and (found[0], shape(found[1]), shape(found[2]))) == place


@pytest.mark.parametrize(
    ("text", "role", "init"),
    [
        ("", "", ""),
        (" output", "output", ""),
        (" input = random(seed=1)", "input", "random(seed=1)"),
        (' = "a.npz:key"', "", "'a.npz:key'"),
        (" inout = [[1, -2]]", "inout", "[[1, (- 2)]]"),
    ],
)
def test_roles_and_first_values(statement, shape, text, role, init):
    line = statement(f".hbm t f32[1, N*2]{text}")
    assert (shape(line.role), shape(line.init)) == (role, init)
    assert [shape(s) for s in line.shape] == ["1", "(N * 2)"]


def test_any_word_may_name_a_memory(statement):
    assert statement(".scratch t f32[4]").space == Name(1, 8, "scratch")
    assert statement(".form t f32[4]").space.name == "form"  # begins like .for


def test_loops(statement, shape):
    loop = statement(".for k in 0..N*2 step 16\nNop\n.for j in 1..2\n.end\n.end")
    assert (loop.variable.name, shape(loop.first), shape(loop.stop), shape(loop.step)) == (
        "k",
        "0",
        "(N * 2)",
        "16",
    )
    assert [type(s).__name__ for s in loop.body] == ["InstructionLine", "For"]
    assert loop.body[1].step is None


def test_conditions(statement, shape):
    choice = statement(".if a\nx\n.elif b == 1\ny\nz\n.else\n.end")
    assert [
        (shape(condition), [line.mnemonic.name for line in body])
        for condition, body in choice.branches
    ] == [("a", ["x"]), ("(b == 1)", ["y", "z"]), ("", [])]


def test_a_prepared_transfer(statement, shape):
    block = statement(".dma d{k} queue=Q+1\n a[0:4] <- b\n c<-d.T ; last\n.end")
    assert block.name == Template(5, 9, ("d", Name(7, 8, "k")))
    assert [shape(o) for o in block.options] == ["queue=(Q + 1)"]
    assert [(shape(d), shape(s)) for d, s in block.moves] == [("a[<0:4 + />]", "b"), ("c", "d.T")]


def test_assertions(statement, shape):
    assert statement(".assert N % 2 == 0").message is None
    checked = statement('.assert (a or b), "why"')
    assert (shape(checked.condition), checked.message) == ("(a or b)", StringLiteral(18, 23, "why"))


@pytest.mark.parametrize(
    ("text", "left", "op", "right", "options"),
    [
        ("C ~ A.T @ B  rtol=1e-2 atol=1e-3", "C", "~", "(A.T @ B)", ["rtol=0.01", "atol=0.001"]),
        ('C == "golden.npy"', "C", "==", "'golden.npy'", []),
        ("C[0, 0:2] == [1, -2]", "C[0, <0:2 + />]", "==", "[1, (- 2)]", []),
        ("cycles(pe) <= 700", "cycles(pe)", "<=", "700", []),
        (
            "argmax(s, axis=1) == l  at_least=0.95",
            "argmax(s, axis=1)",
            "==",
            "l",
            ["at_least=0.95"],
        ),
        ("all((A < B) + ~C)", "all(((A < B) + (~ C)))", "", "", []),
        ("-A ~ ~B", "(- A)", "~", "(~ B)", []),
        ("x ~ where((y > 0), y, 0)", "x", "~", "where((y > 0), y, 0)", []),
        ("x ~ (A\n @ B) rtol=1", "x", "~", "(A @ B)", ["rtol=1"]),
    ],
)
def test_expectations(statement, shape, text, left, op, right, options):
    found = statement(f".expect {text}")
    assert (shape(found.left), found.op, shape(found.right)) == (left, op, right)
    assert [shape(o) for o in found.options] == options
    assert (found.start, found.end) == (0, 8 + len(text))


def test_an_included_file_is_named_by_a_string(statement):
    assert statement('.include "a.nasm"') == Include(0, 17, StringLiteral(9, 17, "a.nasm"))


def test_a_macro_has_parameters_and_a_body(statement):
    found = statement(".macro m(a, n=4, s=$x, e=@pe)\n.for k in 0..2\nNop\n.end\n.end")
    assert (found.start, found.end, found.name) == (0, 58, Name(7, 8, "m"))
    assert [p.name for p in found.parameters] == ["a", "n", "s", "e"]
    defaults = [p.value for p in found.parameters[1:]]
    assert defaults == [
        NumberLiteral(14, 15, 4),
        CounterName(19, 21, Name(20, 21, "x")),
        EngineName(25, 28, "pe"),
    ]
    (loop,) = found.body
    assert [type(s) for s in (loop, *loop.body)] == [For, InstructionLine]


def test_a_macro_is_called_with_a_label_an_engine_and_arguments(statement):
    found = statement("l: @pe m(c[0:4], $s, n=2, t=$w{k})")
    assert (found.start, found.end) == (0, 34)
    assert (found.label.name, found.engine.name, found.name) == ("l", "pe", Name(7, 8, "m"))
    assert [type(a) for a in found.arguments] == [
        Subscript,
        CounterName,
        NamedArgument,
        NamedArgument,
    ]
    assert statement("m()") == MacroCall(0, 3, None, None, Name(0, 1, "m"), ())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (".sbuf @export t f32[1, 2]", lambda s: s.name),
        (".const A = 1, @export B = 2", lambda s: s.items[1]),
        (".sem a, @export b = 3", lambda s: s.items[1][0]),
        (".view @export v{k} = t", lambda s: s.name),
        ("@export again: Nop", lambda s: s.label),
        (".dma @export d\na <- b\n.end", lambda s: s.name),
    ],
)
def test_a_declared_name_may_be_exported(statement, text, name):
    exported = (ExportedName, ExportedTemplate, ExportedNamed)
    assert isinstance(name(statement(text)), exported)
    assert not isinstance(name(statement(text.replace("@export ", ""))), exported)


# ------------------------------------------------------------------ the rest


def test_a_text_that_is_not_one_statement_is_refused(statement):
    for text in ("", "Nop\nNop", "Nop a b"):
        with pytest.raises(Failure):
            statement(text)


@pytest.fixture
def fresh_parser():
    grammar.parser.cache_clear()
    yield
    grammar.parser.cache_clear()


@pytest.fixture
def worked_out(monkeypatch, fresh_parser):
    """The parser as it is where the shipped tables are not those of the grammar."""
    monkeypatch.setattr(parse_tables, "GRAMMAR", "that of another grammar")
    return grammar.parser()


def test_the_shipped_tables_are_those_of_the_grammar(monkeypatch, fresh_parser):
    monkeypatch.delattr(grammar, "built")  # which works them out
    assert isinstance(grammar.parser(), lark.Lark)


@pytest.fixture
def read_lines():
    """What a parser makes of lines of programs and of mistyped ones, mistakes included."""
    typed = Path(__file__).with_name("mistyped.txt").read_text(encoding="utf-8")
    programs = PROGRAMS.glob("*.nasm")
    texts = part([typed, *(path.read_text(encoding="utf-8") for path in programs)], 6)
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    lines += ["Nop @", "Nop a[0: +]", ".const + = 1"]
    assert len(lines) > 100

    def read(line):
        try:
            return grammar.read(line, 0, len(line), "line")
        except lark.UnexpectedToken as error:
            accepted = sorted(error.accepts or error.expected)
            return (error.pos_in_stream, error.token.type, accepted)
        except lark.UnexpectedCharacters as error:
            return (error.pos_in_stream, sorted(error.allowed))
        except Mistake as error:
            return error.args

    return lambda: [read(line) for line in lines]


def test_the_shipped_tables_read_what_those_of_the_grammar_read(fresh_parser, request, read_lines):
    shipped = read_lines()
    request.getfixturevalue("worked_out")
    assert shipped == read_lines()


def test_terminals_tried_one_by_one_are_those_of_one_pattern(fresh_parser, monkeypatch, read_lines):
    monkeypatch.setattr(gradual_lexer, "OFTEN", 0)
    at_once = read_lines()
    grammar.parser.cache_clear()
    monkeypatch.setattr(gradual_lexer, "OFTEN", 10**9)
    assert at_once == read_lines()


def test_a_pattern_is_compiled_for_terminals_that_are_used_often(
    fresh_parser, monkeypatch, statement
):
    monkeypatch.setattr(gradual_lexer, "OFTEN", 2)
    lexers = grammar.parser().parser.lexer.lexers.values()
    statement("Nop")
    assert all(lexer._scanner is None for lexer in lexers)
    statement("Nop")
    statement("Nop")
    assert any(lexer._scanner is not None for lexer in lexers)


@pytest.mark.usefixtures("fresh_parser")
@pytest.mark.parametrize("folder", ["absolute", "relative", "home"])
def test_the_parser_reads_and_writes_nothing_below_the_cache_folder(
    statement, tmp_path, monkeypatch, folder
):
    """Earlier versions kept tables there, as a pickle: loading one runs what it holds."""
    kept = tmp_path / (".cache" if folder == "home" else "kept") / "neuron-nasm"
    kept.mkdir(parents=True)
    trap = kept / f"grammar-py{sys.version_info.major}{sys.version_info.minor}"
    trap.write_bytes(b"0\n" + pickle.dumps(Trap(str(tmp_path / "sprung"))))
    written = trap.read_bytes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    if folder == "home":
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        place = "kept" if folder == "relative" else str(tmp_path / "kept")
        monkeypatch.setenv("XDG_CACHE_HOME", place)
    before = sorted(tmp_path.rglob("*"))
    assert statement("Nop").mnemonic.name == "Nop"
    assert sorted(tmp_path.rglob("*")) == before
    assert trap.read_bytes() == written


class Trap:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_every_rule_of_the_grammar_is_read_by_a_method_of_its_name() -> None:
    rules = [part for part in parse_tables.MEMO.values() if part["__type__"] == "Rule"]
    read = {
        rule["alias"] or rule["origin"]["name"]
        for rule in rules
        if not rule["options"]["expand1"] and not rule["origin"]["name"].startswith("_")
    }
    assert len(read) > 50
    assert {name for name in read if not hasattr(TreeBuilder, name)} == set()
