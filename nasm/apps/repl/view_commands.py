"""Commands that show the time so far, and keep panels on screen."""

from __future__ import annotations

from nasm.apps.repl import file_writing
from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import interruptible
from nasm.apps.repl.settings import PANELS, USUAL
from nasm.apps.repl.shell import INTERRUPTED, Shell
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.show import steps


@command(
    "view",
    usage="view [PANEL … | on | off | full]",
    takes=("panel",),
    examples=("view", "view source psum", "view full", "view off"),
)
def view(shell: Shell, rest: str) -> None:
    """Keep panels on screen above the prompt.

    Alone, or with 'on', the usual ones: source, queues, semaphores, transfers, psum and display;
    one that has nothing to show takes no room. There are also time, and noc, the map of a chip with
    the loads of links. They follow each move, and what they show is not printed after it as well.
    F2 chooses: a digit switches a panel.

    'view full' takes the whole screen: the program, the panels, and what is printed are panes that
    take the focus (F6, or a click) and scroll. A click on a line of the program, or Enter or F9
    there, sets a stop or takes it away; F5 continues, F7 goes back by an instruction, F8 steps. F10
    and 'view off' lead back to the prompt.

    Unattended, on a dumb terminal and in plain, the panels are printed once.
    """
    from nasm.apps.repl import panels

    words = rest.replace(",", " ").split()
    if words == ["on"]:
        words = []
    if words == ["off"]:
        shell.settings.view, shell.full = (), False
        return
    if words == ["full"]:
        _whole_screen(shell)
        return
    shell.settings.view = _panels(words) or USUAL
    if not shell.kept:
        lines = panels.shown(shell, shell.settings.view, shell.screen.width, None)
        shell.screen.say(line.text for line in lines)


def _whole_screen(shell: Shell) -> None:
    """Ask for the whole screen; raises Refused where there is none."""
    if not shell.attended or not shell.drawn:
        message = (
            "only a terminal has a whole screen"
            if not shell.attended
            else ("lines are not drawn over in plain and on a dumb terminal")
        )
        raise Refused(WRONG, message, "'view' prints the panels")
    shell.full = True


def _panels(words: list[str]) -> tuple[str, ...]:
    """The panels that some words name, which may be shortened; raises Refused."""
    chosen = set[str]()
    for word in words:
        found = [name for name in PANELS if name.startswith(word)]
        if len(found) != 1:
            message = f"'{quoted(word)}' could be {listed(found)}" if found else ""
            message = message or f"no panel '{quoted(word)}'"
            raise Refused(
                WRONG, message, did_you_mean(word, PANELS) or f"there is {listed(PANELS)}"
            )
        chosen.add(found[0])
    return tuple(name for name in PANELS if name in chosen)


@command("info time", "timeline", usage="info time [N]", examples=("info time", "info time 500"))
def time(shell: Shell, rest: str) -> None:
    """What every engine did in the last N cycles, 10,000 if not said.

    Each character of a strip is what an engine did most of that time: worked, or waited for a post
    of DMA or of another engine, for its own result, its unit or a port. Strips of rings show how
    many of the channels were at work. Below them are the sums, in cycles of each engine, and what
    the instruction that completed last waited for. To see it the run is done again.
    """
    from nasm.show import strips

    session, screen = shell.session, shell.screen
    cycles = None
    if rest:
        number = rest.strip().replace(",", "").replace("_", "")
        if not (number.isdecimal() and number.isascii() and 0 < int(number) < 1 << 62):
            message = f"no number of cycles '{quoted(rest)}'"
            raise Refused(WRONG, message, "info time 500 shows the last 500")
        cycles = int(number)
    if not session.now:
        screen.say(steps.status(session))
        return
    with interruptible(shell) as stop:
        found = session.engines.strip(cycles, strips.room(session, screen.width))
    if found is None:
        screen.say("interrupted", "yellow")
        shell.fail(INTERRUPTED)
    else:
        screen.say(strips.shown(session, found, screen.width))
    if stop.asked is not None and stop.asked.leaving:
        raise stop.asked


@command(
    "page", usage="page FILE [replace]", takes=("file",), examples=("page run.html", "page run.svg")
)
def page(shell: Shell, rest: str) -> None:
    """Write a page to look at the run so far: its timeline, where its time went, its memory.

    It is one file of HTML that needs no network, or only the picture of the timeline if the name
    ends in .svg. To make it the run is done again. A file that exists is left as it is unless the
    line ends with 'replace'.
    """

    def made(name: str) -> str:
        with interruptible(shell) as stop:
            found = shell.session.page()
        if stop.asked is not None and stop.asked.leaving:
            raise stop.asked
        if found is None:
            raise Refused(WRONG, "interrupted: no page is written")
        return found.content(name)

    name, _ = file_writing.write("page", rest, "page run.html", made)
    shell.screen.say(f"wrote {name}")
