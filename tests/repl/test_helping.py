"""Help is a loop over what is declared."""

from __future__ import annotations

import io
import re
from contextlib import suppress

import pytest
from rich.console import Console

from nasm.apps.repl import topics
from nasm.apps.repl.command import COMMANDS, command, find, last_word, siblings, split
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused
from nasm.isa.instruction import Row
from nasm.show import pages
from nasm.show.columns import WIDTH
from nasm.targets import TARGETS
from tests.repl.conftest import Tried
from tests.tables import each
from tests.toy.target import ISA

EVERY = each("name", COMMANDS)


@EVERY
def test_every_command_is_listed_with_its_whole_summary(bare: Tried, name: str) -> None:
    said = bare.does("help info" if " " in name else "help")
    row = re.search(rf"^{name.split()[-1]}(?:, [^ ]+)*  +(.*(?:\n   .*)*)", said, re.MULTILINE)
    assert row is not None
    assert " ".join(row[1].split()) == COMMANDS[name].summary
    assert COMMANDS[name].summary.endswith(".")
    assert max(map(len, said.splitlines())) <= WIDTH


def _own(page: str) -> str:
    """The page of a command without what else its name means."""
    return re.split(r"\n\n\S.*  \([a-z ]+\)\n", page)[0]


@EVERY
def test_every_command_has_a_page_under_each_of_its_names(bare: Tried, name: str) -> None:
    parent = name.rpartition(" ")[0]
    page = bare.does(f"help {name}")
    assert page.startswith("usage: ")
    assert COMMANDS[name].summary in " ".join(page.split())
    for alias in COMMANDS[name].aliases:
        assert bare.does(f"help {parent} {alias}").startswith(_own(page))


@EVERY
def test_names_and_aliases_lead_to_one_command(name: str) -> None:
    parent = name.rpartition(" ")[0]
    for word in (last_word(COMMANDS[name]), *COMMANDS[name].aliases):
        assert find(f"{parent} {word}".strip())[0] is COMMANDS[name]


@each("row", ISA.rows.values(), ids=lambda r: r.name)
def test_every_instruction_has_a_page(toy: Tried, row: Row) -> None:
    page = toy.does(f"help {row.name}")
    assert " ".join(page.split()).startswith(" ".join([*pages.synopsis(row).split(), row.summary]))
    assert all(len(line) <= WIDTH for line in page.splitlines())


def test_the_page_of_an_instruction(toy: Tried) -> None:
    page = toy.does("help Add")
    assert page.startswith("Add  dst, a, b\n\nAdd two tiles: dst = a + b.\n\nExample\n")
    assert "\n    b    read     a tile in bank\n" in page
    assert "\n    E0404  all tiles have one shape (made up)\n" in page
    # 8 elements, 2 per partition, and results three cycles after the last
    assert page.endswith(
        "\nThe first in this program: busy 2, results after 5 cycles of beta (assumed: made\nup)\n"
    )


def test_the_page_is_the_one_the_command_prints(toy: Tried) -> None:
    row = ISA.rows["Add"]
    out = io.StringIO()
    Console(file=out, width=WIDTH).print(pages.rich_page(pages.page(row, toy.shell.program.target)))
    plain = "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
    assert toy.does("help Add").startswith(plain)


def test_defaults_are_on_the_page(toy: Tried) -> None:
    assert re.search(r"^    by .* an integer\. Default: -1$", toy.does("help Count"), re.MULTILINE)


@pytest.mark.parametrize("line", ["explain E0501", "help E0501", "explain e0501", "h e0501"])
def test_a_code_is_explained(bare: Tried, line: str) -> None:
    page = bare.does(line)
    assert page.startswith("E0501  ")
    assert "\nWrong:\n    " in page
    assert "\nRight:\n    " in page


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("stpe", "did you mean 'step'?"),
        ("prnt x", "did you mean 'print'?"),
        ("queues", "did you mean 'info queues'?"),
        ("e", "'e' could be event, expect, enable, execute or explain"),
        ("rest", "no command 'rest'\n  hint: 'restart' is written in full"),
        ("loda x", "no command 'loda'\n  hint: 'help' lists them"),
        ("where foo", "no engine 'foo'"),
        ("info queues scalar", "'info queues' takes nothing, found 'scalar'"),
        ("info queues loaded", "'info queues' takes nothing, found 'loaded'"),
        ("restart now", "'restart' takes nothing, found 'now'"),
        ("xyzzy", "'help' lists them"),
        ("help Addd", "did you mean 'Add'?"),
        ("help xyzzy", "no command, instruction, code or word 'xyzzy'"),
        ("help hazrd", "did you mean 'hazard'?"),
        ("help e", "it could be event, expect, enable, execute or explain"),
        ("explain", "explain what?"),
        ("explain E0", "no diagnostic has the code 'E0'"),
        ("=3", "no command '=3'"),
    ],
)
def test_who_errs_is_reported_what_was_meant(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.code == 1


def test_an_instruction_is_explained_without_a_program(bare: Tried) -> None:
    assert bare.does("help Memset").startswith("Memset  dst, value")
    assert bare.does("help memset") == bare.does("help Memset")
    assert bare.shell.code == 0


TARGET = TARGETS["trn2"]()
GENERATION = TARGET.generation("trn2")
assert GENERATION is not None
TOPICS = list(topics.topics(TARGET, GENERATION))


@each("word", sorted({t.word for t in TOPICS}))
def test_every_word_is_explained_in_any_case(bare: Tried, word: str) -> None:
    bare.shell.target = "trn2"
    page = bare.does(f"help {word}")
    for topic in TOPICS:
        if topic.word == word:
            assert f"{word}  ({topic.kind})" in page
            assert topic.summary.split()[0] in page
    assert f"{word}  (" in bare.does(f"help {word.upper()}")
    assert max(map(len, page.splitlines())) <= WIDTH
    assert bare.shell.code == 0


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (".for", ".for  (directive)\n  .for k in 0..4 step 2\n"),
        ("FOR", ".for  (directive)"),
        (".sbuf", ".sbuf  (directive)"),
        ("act", "scalar  (engine)\n  128 lanes"),
        ("@vector", "vector  (engine)"),
        ("psum", "psum  (memory)"),
        ("bf16", "bfloat16  (dtype)"),
        ("gelu", "gelu  (activation function)"),
        ("bitwise_and", "  Taken by "),
        ("argmax", "argmax  (function)"),
        ("ceil_div", "ceil_div  (function)\n  it is written ceil_div(a, b)\n"),
        ("hazards", "hazard  (word)\n  legal text, wrong program: a race, a read of something"),
        ("stop-on hazard", "stop-on hazard  (setting)"),
        ("keys", "  Ctrl-R: search the history\n"),
        ("st", "usage: step"),
        ("maximum", "maximum  (operator)"),
        ("max8", "Max8  dst, "),
    ],
)
def test_a_word_is_found_by_what_it_is_called(bare: Tried, word: str, said: str) -> None:
    assert said in bare.does(f"help {word}")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", ("", "")),
        ("step", ("step", "")),
        ("  step  3 ", ("step", "3")),
        ("p/x c[0:4, :8]", ("p", "/x c[0:4, :8]")),
        ("step@vector", ("step", "@vector")),
        ("p$s", ("p", "$s")),
        ("?", ("?", "")),
    ],
)
def test_the_first_word_ends_where_it_must(line: str, parts: tuple[str, str]) -> None:
    assert split(line) == parts


def test_a_command_must_say_what_it_does_and_have_names_of_its_own() -> None:
    def mute(shell: Shell, rest: str) -> None: ...

    def other(shell: Shell, rest: str) -> None:
        """Do something else."""

    with pytest.raises(TypeError, match="says nothing"):
        command("mute")(mute)
    with pytest.raises(TypeError, match="two commands"):
        command("other", "step")(other)
    assert "mute" not in COMMANDS
    assert "other" not in COMMANDS


@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if c.usage == name])
def test_what_takes_nothing_refuses_what_it_is_given(toy: Tried, name: str) -> None:
    said = toy.does(f"{name} something")
    assert f"error[E0822]: '{name}' takes nothing, found 'something'" in said


@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if c.loses])
def test_what_loses_something_is_reached_by_its_names_alone(name: str) -> None:
    for word in (name, *COMMANDS[name].aliases):
        assert find(word)[0] is COMMANDS[name]
        for shorter in (word[:n] for n in range(1, len(word))):
            with suppress(Refused):
                found = find(shorter)[0]
                assert found is not COMMANDS[name] or shorter in COMMANDS[name].aliases


@pytest.mark.parametrize("word", ["rset", "lod", "exti", "quitt", "restrat"])
def test_what_loses_something_is_not_suggested(word: str) -> None:
    with pytest.raises(Refused) as refused:
        find(word)
    assert not any(name in refused.value.hint for name, c in COMMANDS.items() if c.loses)


def test_an_ambiguous_beginning_is_refused() -> None:
    with pytest.raises(Refused, match="could be"):
        find("ex")
    assert len(siblings("")) + len(siblings("info queues")) == len(COMMANDS)


@each(
    ("line", "hint"),
    [
        ("reload", "write 'load'"),
        ("disassemble", "write 'list'"),
        ("condition 1 x > 3", "write 'break LOCATION if CONDITION'"),
        ("mem", "write 'info memory'"),
        ("exit()", "write 'quit'"),
        ("y = 3", "a value is changed by 'set y = 3'"),
        ("y[0, 0] = 3", "a value is changed by 'set y[0, 0] = 3'"),
        ("set x[0] 4", "a value is given with '=': set x[0] = 4"),
        ("break x > 1", "'watch x' stops when it changes, 'break if x[0, 0] > 1' by a value"),
        ("delete all", "there are none: 'break' sets one"),
    ],
)
def test_a_line_of_another_debugger_is_refused_with_what_to_write(
    toy: Tried, line: str, hint: str
) -> None:
    said = toy.does(line)
    assert said.startswith("error[E082")
    assert f"hint: {hint}" in " ".join(said.split())
