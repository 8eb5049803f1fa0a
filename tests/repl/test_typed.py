"""Where commands begin and end, in what is typed and in what is pasted."""

from __future__ import annotations

from nasm.apps.repl import input
from tests.repl.conftest import Tried
from tests.tables import each


@each(
    ("text", "found"),
    [
        ("s\ns\nwhere", [(1, "s"), (2, "s"), (3, "where")]),
        ("\n\n  s  \r\n; not (this\n# nor [this\n\nwhere\n", [(3, "s"), (7, "where")]),
        ("p t[0:3,\n  0:8]\nwhere", [(1, "p t[0:3, 0:8]"), (3, "where")]),
        ("p max(a,\n(b +\n1))\ns", [(1, "p max(a, (b + 1))"), (4, "s")]),
        ("step \\\n  3 \\\nvector\ns", [(1, "step 3 vector"), (4, "s")]),
        ('write t "a\nb.npy"\ns', [(1, 'write t "a b.npy"'), (3, "s")]),
        ('write t "a[;.npy"\ns', [(1, 'write t "a[;.npy"'), (2, "s")]),
        ("s ; and so on (\nwhere", [(1, "s"), (2, "where")]),
        ("p (a ; the first\n + b)", [(1, "p (a + b)")]),
        ("p t[0\n\nwhere", [(1, "p t[0"), (3, "where")]),  # an empty line ends it
        ("p t[0\nwhere", [(1, "p t[0 where")]),
        ("p )\nwhere", [(1, "p )"), (2, "where")]),
        ("", []),
    ],
)
def test_commands_and_the_lines_that_they_begin_in(text: str, found: list[tuple[int, str]]) -> None:
    assert [(n, input.bare(c)) for n, c in input.commands(text.split("\n"))] == found


def test_a_comment_behind_a_command_is_none_of_its_arguments(toy: Tried) -> None:
    assert toy.does("p $loaded  ; what came") == "$loaded = 0\n"
    assert toy.does("; p $loaded", "# p $loaded") == ""


def test_several_commands_are_done_up_to_one_that_fails(toy: Tried) -> None:
    toy.shell.take_all("p $loaded\nstpe\nstep 2\n; and\np $done")
    assert toy.out.getvalue() == (
        "(nasm) p $loaded\n$loaded = 0\n"
        "(nasm) stpe\nerror[E0821]: no command 'stpe'\n  hint: did you mean 'step'?\n"
        "not done: step 2, p $done\n"
    )
    assert toy.shell.session.now == 0


def test_a_single_command_is_not_said_again(toy: Tried) -> None:
    assert toy.shell.take_all("p \\\n$loaded\n\n")
    assert toy.out.getvalue() == "$loaded = 0\n"
