"""Commands that give names to expressions."""

from __future__ import annotations

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, quoted


@command(
    "let",
    usage="let [NAME = EXPRESSION]",
    takes=("named", "tensor", "part", "item", "semaphore", "register", "constant", "function"),
    examples=("let err = C - A.T @ B", "print err[0, 0:4]", "break 19 if max(abs(err)) > 0.1"),
)
def let(shell: Shell, rest: str) -> None:
    """Let a name represent an expression.

    It may be used wherever an expression may, in another one too, and where a tensor or a part of
    one is wanted if it is one. It is evaluated when it is used: at another moment, as in print err
    at start, it is what the expression was then. What the program, a function or an engine is
    called cannot be a name. To give it again changes what it represents, in breakpoints as well;
    restart, undo and moving leave it as it is, and load alone keeps it. Alone, it lists the names.
    """
    session = shell.session
    if not rest.strip():
        shell.screen.records(session.lets())
        return
    name, equals, text = (part.strip() for part in rest.partition("="))
    if not equals or not text:
        message = f"a name and an expression, found '{quoted(rest)}'"
        raise Refused(WRONG, message, "let err = C - ref; 'unlet err' forgets it")
    shell.screen.say(str(session.let(name, text)))
    shell.renew()


@command("unlet", usage="unlet NAME", takes=("named",))
def unlet(shell: Shell, rest: str) -> None:
    """Forget the name of an expression."""
    if not rest.strip():
        raise Refused(WRONG, "forget which name?", "'let' lists them")
    shell.session.unlet(rest)
    shell.renew()
