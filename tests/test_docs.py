"""What README and docs say is so: programs run, links lead somewhere, nothing is left out."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import itertools
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

import nasm
from nasm.apps.cli import arguments
from nasm.apps.cli.verb import names
from nasm.apps.repl.input import PROMPT
from nasm.isa.figures import FigureUse
from nasm.language.text.parse_failure import DIRECTIVES
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.figures import FIGURES, SWITCHES
from tests.tables import each

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
LANGUAGE = (DOCS / "language.md").read_text(encoding="utf-8")
TENSIX = (DOCS / "tensix.md").read_text(encoding="utf-8")
FENCE = re.compile(
    r"(<!-- (?:file|from): .*? -->\n+)?^```([\w-]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


ACTIVATE = ".venv/bin/activate"


class Block(NamedTuple):
    """A fenced block of a page; ``mark`` is the comment that stands before it."""

    where: str
    mark: str
    text: str


def blocks(language: str) -> list[Block]:
    return [found for page in PAGES for found in blocks_of(page, language)]


def blocks_of(page: Path, language: str) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        if match[2] == language:
            line = text.count("\n", 0, match.start(2)) + 1
            yield Block(f"{page.relative_to(ROOT)}:{line}", match[1] or "", match[3])


def every_block(language: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    found = blocks(language)
    return each("block", found, ids=[b.where for b in found])


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    path, before = DOCS / "generate.py", list(sys.path)
    spec = importlib.util.spec_from_file_location("generate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before


# ---------------------------------------------------------------- generated pages


@pytest.mark.thorough
def test_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_page_that_differs_or_belongs_to_nothing_is_stale(generate: ModuleType) -> None:
    page, other = DOCS / "isa" / "index.md", DOCS / "isa" / "dtypes.md"
    made = [*(DOCS / "isa").rglob("*.md"), *(DOCS / "timing").glob("v*.md")]
    right = {p: p.read_text(encoding="utf-8") for p in made}
    assert list(generate.stale(right)) == []
    assert list(generate.stale(right | {page: "other"})) == [page]
    for gone in (other, DOCS / "timing" / "v3.md"):
        assert list(generate.stale({p: t for p, t in right.items() if p != gone})) == [gone]


def test_a_generation_has_a_page_with_every_figure_that_it_has(generate: ModuleType) -> None:
    for generation in TARGET.generations:
        page = (DOCS / "timing" / f"{generation.name}.md").read_text(encoding="utf-8")
        shown = re.findall(r"^\| `(\w+)` \|", page.partition("## Figures")[2], re.MULTILINE)
        figures = [f.name for f in FIGURES if generation.name in f.facts]
        assert shown == figures + [w.name for w in SWITCHES]
        assert f"[{generation.name} " in (DOCS / "timing.md").read_text(encoding="utf-8")


def test_the_page_of_the_api_has_every_public_name_with_its_parameters() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### nasm\.(\w+)$", page, re.MULTILINE)
    assert sorted(shown) == sorted(name for name in nasm.__all__ if not name.startswith("__"))
    text = page.partition("### nasm.run\n")[2].partition("###")[0]
    for parameter in inspect.signature(nasm.run).parameters:
        assert f"    {parameter}: " in text
    methods = page.partition("### nasm.Session\n")[2].partition("###")[0]
    named = set(re.findall(r"^\| `(\w+)", methods, re.MULTILINE))
    assert {"step", "goto", "read", "report"} <= named
    assert not {name for name in named if name.startswith("_")}


def test_a_call_is_shown_as_it_is_declared(generate: ModuleType) -> None:
    def call(
        self: object, a: int, *, key: str = "x", way: FigureUse = FigureUse.TIME, **more: object
    ) -> int:
        """A call of :meth:`~nasm.debugger.session.Session.run`, with ``a`` < 2."""
        return a

    api = generate.api_page
    assert api.one_line("call", call) == "call(a, *, key='x', way=FigureUse.TIME, **more)"
    given = "key: str = 'x', way: FigureUse = FigureUse.TIME, **more: object"
    wanted = f"call(a: int, *, {given}) -> int"
    assert api.signature("call", call) == wanted
    assert api.one_line("each", lambda made={1: print, 2: call}: made) == "each(made=…)"
    assert api.described(call.__doc__) == "A call of `run`, with `a` \\< 2."


@pytest.mark.turns(8)
def test_only_the_errors_of_float32_sums_may_differ_from_what_is_shown(
    generate: ModuleType,
) -> None:
    filled = generate.captured.filled
    page = filled("<!-- captured: neuron-nasm run programs/matmul.nasm -->\n<!-- end -->\n")
    other = re.sub(r"worst \|error\| [\d.e-]+", "worst |error| 2e-05", page)
    assert other != page
    assert filled(other) == other
    wrong = re.sub(r"[\d.]+ µs", "9.876 µs", other)
    assert wrong != other
    assert filled(wrong) == page


@pytest.mark.turns(8)
def test_a_session_of_a_page_prints_what_the_debugger_prints_now(generate: ModuleType) -> None:
    page = textwrap.dedent("""\
        <!-- session: 60 -->
        ```console
        $ neuron-nasm repl programs/matmul.nasm
        (nasm) run 100
        what was printed once
        (nasm) print 3 + 4
        ```
        <!-- end -->
        text
        <!-- session continues -->
        ```console
        (nasm) print acc[0,
          ...> 0] + 1
        ```
        <!-- end -->
        """)
    made = generate.captured.filled(page)
    assert "once" not in made
    assert "(nasm) run 100\n2 instructions completed\nstopped at 0.071 µs, cycle 100" in made
    assert "tensor  cycle 200, pc 0 of 2\n" in made  # the context, as at the prompt
    assert "(nasm) print 3 + 4\n3 + 4 = 7\n```\n<!-- end -->\ntext\n" in made
    assert "```console\n(nasm) print acc[0,\n  ...> 0] + 1\n" in made
    assert generate.captured.filled(made) == made


@pytest.mark.turns(8)
def test_a_session_whose_commands_are_not_done_is_reported(generate: ModuleType) -> None:
    page = "<!-- session: 60 -->\n```console\n$ neuron-nasm repl\n(nasm) quit\n(nasm) list\n"
    with pytest.raises(SystemExit, match="'\\(nasm\\) list' was not done"):
        generate.captured.filled(f"{page}```\n<!-- end -->\n")
    with pytest.raises(SystemExit, match="continues before one has begun"):
        generate.captured.filled(
            "<!-- session continues -->\n```console\n(nasm) list\n```\n<!-- end -->\n"
        )


QUOTING = textwrap.dedent("""\
    <!-- captured: neuron-nasm run programs/matmul.nasm -->
    <!-- end -->
    It took <!-- quoted: time: 2 -->1.5<!-- end --> µs; tensor was busy for
    <!-- quoted: tensor 3 --><!-- end --> cycles, and another program takes
    <!-- quoted: neuron-nasm run programs/countdown.nasm | time: 4 -->7<!-- end -->.
    """)


@pytest.mark.turns(8)
def test_a_sentence_quotes_the_block_before_it_or_what_a_command_prints(
    generate: ModuleType,
) -> None:
    made = generate.captured.filled(QUOTING)
    block, _, sentence = made.partition("<!-- end -->\n")
    (time, cycles) = re.findall(r"^time: (\S+) µs, (\S+) cycles", block, re.MULTILINE)[0]
    (busy,) = re.findall(r"^tensor +\d+ +(\S+)", block, re.MULTILINE)
    told = re.sub(r"<!--.*?-->", "", sentence)
    assert told.startswith(f"It took {time} µs; tensor was busy for\n{busy} cycles")
    assert re.search(r"takes\n[\d,]+\.\n$", told)
    assert f"takes\n{cycles}." not in told
    assert generate.captured.filled(made) == made


@pytest.mark.turns(8)
@pytest.mark.parametrize("reference", ["tensor 99", "Nothing 1"])
def test_a_quotation_of_what_no_block_shows_is_refused(
    generate: ModuleType, reference: str
) -> None:
    with pytest.raises(SystemExit, match="there is no such line or word"):
        generate.captured.filled(QUOTING.replace("tensor 3", reference))


PROSE = ("loops", "walkthrough", "profile", "tools")
RUNS = [
    ROOT / "README.md",
    *(DOCS / "guide").glob("*.md"),
    *(DOCS / f"{name}.md" for name in PROSE),
]
"""Pages whose sentences speak of the runs that they show."""


def test_no_sentence_states_a_time_that_is_neither_quoted_nor_shown() -> None:
    found = []
    for page in RUNS:
        text = page.read_text(encoding="utf-8")
        shown, prose = "\n".join(m[3] for m in FENCE.finditer(text)), FENCE.sub("", text)
        prose = re.sub(r"<!-- quoted: .*?<!-- end -->", "", prose)
        for number in re.findall(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) (?:µs|cycles?)(?!\w)", prose):
            if not re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d)", shown):
                found.append((page.name, number))
    assert found == []


CHAPTERS = sorted((DOCS / "guide").glob("[0-9]*.md"))


def test_each_chapter_of_the_guide_has_a_picture_a_program_and_an_exercise() -> None:
    lessons = {
        path.parent.name for path in (ROOT / "programs" / "exercises").glob("*/exercise.toml")
    }
    index = (DOCS / "guide" / "index.md").read_text(encoding="utf-8")
    pictures: list[str] = []
    assert len(CHAPTERS) == 15
    for number, page in enumerate(CHAPTERS, 1):
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. "), page.name
        assert re.search(rf"\[{number}\. [^\]]*\]\({re.escape(page.name)}\)", index), page.name
        picture = re.search(r"!\[[^\]]+\]\(([^)]+\.svg)\)", text)
        assert picture is not None, page.name
        assert (page.parent / picture[1]).exists(), page.name
        pictures.append(picture[1])
        assert re.search(r"^```(neuron-nasm|python|console)$", text, re.MULTILINE), page.name
        named = set(re.findall(r"`neuron-nasm learn ([a-z_]+)`", text))
        assert named <= lessons, page.name
        assert named, page.name
    assert len(set(pictures)) == len(CHAPTERS)  # each has one of its own


# ---------------------------------------------------------------- what pages show


@every_block("neuron-nasm")
def test_programs_in_the_docs_assemble_and_run(
    block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    program = nasm.assemble(block.text)
    shown_as_wrong = block.mark.startswith("<!-- file")
    if program.expectations and not shown_as_wrong:
        assert nasm.run(program).ok


@every_block("python")
def test_python_in_the_docs_runs(
    block: Block, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(block.text, block.where, "exec"), {"__name__": "docs"})


@each("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_fence_says_the_name_of_another_language(page: Path) -> None:
    """What is called nasm elsewhere is assembly for x86."""
    assert list(blocks_of(page, "nasm")) == []


def typed(block: Block) -> list[list[str]]:
    """The commands that a console block shows: lines behind ``$``, or all of one without.

    What is typed at the debugger's prompt is none; its sessions are tested by being made anew.
    """
    lines = block.text.splitlines()
    if lines[0].startswith(PROMPT):
        return []
    prompted = [line[2:] for line in lines if line.startswith("$ ")]
    return [shlex.split(line, comments=True) for line in prompted or lines]


@every_block("console")
def test_commands_in_the_docs_exist(block: Block) -> None:
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    for words in typed(block):
        if words[0] == "neuron-nasm":
            arguments.read(words[1:])
        elif words[0] == "make":
            assert words[1] in targets
        elif words[0] == ".":
            assert words[1:] == [ACTIVATE]
        elif words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(f"{words[2]}.__main__")
        else:
            assert words[:2] == ["pip", "install"]


@every_block("console")
def test_a_command_that_is_typed_after_make_is_on_the_path(block: Block) -> None:
    """What make sets up is not: one activates it, or installs the command, before typing it."""
    commands = typed(block)
    made = any(words[0] == "make" for words in commands)
    for n, words in enumerate(commands):
        if made and words[0] == "neuron-nasm":
            assert [".", ACTIVATE] in commands[:n]


def test_what_is_activated_is_what_make_sets_up_and_it_has_the_command() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"VENV := {ACTIVATE.partition('/')[0]}\n" in makefile
    assert 'install --quiet --editable ".$(EXTRAS_$(VERSIONS))" --group dev' in makefile
    assert (Path(sysconfig.get_path("scripts")) / "neuron-nasm").exists()


@every_block("py")
def test_code_that_is_quoted_is_in_its_file(block: Block) -> None:
    quoted = re.match(r"<!-- from: (\S+) -->", block.mark)
    if quoted:
        assert block.text in (ROOT / quoted[1]).read_text(encoding="utf-8")
    else:
        compile(block.text, block.where, "exec")


# ---------------------------------------------------------------- nothing is left out


@each("directive", [*DIRECTIVES, *TARGET.generations[0].memories])
def test_every_directive_has_its_section(directive: str) -> None:
    pages = LANGUAGE + TENSIX
    headings = re.findall(r"^### (.*)$", pages, re.MULTILINE)
    spelled = {f".{directive}"}
    if directive in ("elif", "else"):
        spelled = {".if"}
    assert any(spelled <= set(re.split(r", ", heading)) for heading in headings)
    assert f".{directive}" in pages


@each("verb", sorted(names()))
def test_every_verb_is_documented(verb: str) -> None:
    assert f"`neuron-nasm {verb}" in LANGUAGE


@each("verb", sorted(names()))
def test_every_option_is_documented(verb: str) -> None:
    for option in arguments.of_verb(arguments.parser(verb), verb)._actions:
        for spelling in option.option_strings:
            if option.dest != "help":
                assert f"`{spelling}" in LANGUAGE, spelling


def test_no_option_of_a_verb_has_two_rows() -> None:
    rows = re.findall(r"^\| (`-[^|]*) \| ([^|]*) \|", LANGUAGE, re.MULTILINE)
    given = [(option, verb) for option, verbs in rows for verb in verbs.split(", ")]
    assert len(given) > 50
    assert [one for one in set(given) if given.count(one) > 1] == []


# ---------------------------------------------------------------- links


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@each("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


@each("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_page_names_an_absolute_path(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"(?:^|[\s`('\"=])(?:/[\w.-]+){2,}", text, re.MULTILINE) == []


def test_each_program_for_tensix_is_shown_with_a_picture_of_its_time() -> None:
    page = (DOCS / "tensix.md").read_text(encoding="utf-8")
    shown = re.findall(r"<!-- captured: neuron-nasm profile (\S+) --timeline -->", page)
    programs = (ROOT / "programs" / "tensix").glob("*.nasm")
    assert sorted(shown) == sorted(p.relative_to(ROOT).as_posix() for p in programs)


# ---------------------------------------------------------------- plots


def test_a_plot_has_a_power_of_ten_between_numbers_that_are_ten_times_apart(
    generate: ModuleType,
) -> None:
    plots = generate.fidelity.plots
    lines = [plots.Line("a", (0.02, 0.002)), plots.Line("b", (0.03, 0.0021), (None, 0.002))]
    root = ElementTree.fromstring(plots.plot("t < u", "below", "beside", lines))
    dots = [c for c in root.findall("{*}circle") if c.get("r") == "3"]
    (a1, a2, b1, b2) = (float(c.get("cy", "")) for c in dots)
    decades = {float(t.get("y", "")): t[0].text for t in root.findall("{*}text") if len(t)}
    (top, high), (middle, _), (low, bottom) = sorted(decades.items())
    assert (high, bottom) == ("-1", "-3")
    assert a2 - a1 == pytest.approx(middle - top, abs=0.2)
    assert a2 - a1 == pytest.approx(low - middle, abs=0.2)
    assert b1 < a1 < middle < b2 < a2 < low
    (circle,) = (c for c in root.findall("{*}circle") if c.get("r") == "6")
    assert float(circle.get("cy", "")) == a2
    names = [float(t.get("y", "")) for t in root.findall("{*}text") if t.text in ("a", "b")]
    assert abs(names[0] - names[1]) >= plots.NAME


# ---------------------------------------------------------------- what tools.md defines


def folded(*kinds: list[tuple[Any, ...]]) -> str:
    """The hash that the page defines, of the records of each kind."""
    parts = []
    for records in kinds:
        encoded = b""
        for field in itertools.chain(*records):
            text = field.encode() if isinstance(field, str) else b""
            number = len(text) if isinstance(field, str) else field
            encoded += number.to_bytes(8, "little", signed=True) + text
        parts.append(hashlib.blake2b(encoded, digest_size=16).digest())
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


def test_the_trace_hash_is_what_the_docs_define() -> None:
    session = nasm.Session(ROOT / "programs" / "matmul.nasm", trace=True)
    report, trace = session.run(), session.trace
    kinds = (trace.instructions, trace.jobs, trace.posts, trace.messages)
    assert report.trace_hash == folded(*kinds)
    assert not trace.messages


def test_the_worked_example_of_the_trace_hash_is_what_runs() -> None:
    page = (DOCS / "tools.md").read_text(encoding="utf-8").partition("## The trace hash")[2]
    program, records, encoded, final = re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)[:4]
    session = nasm.Session(textwrap.dedent(program), trace=True)
    report, trace = session.run(), session.trace
    lists = {"i": trace.instructions, "j": trace.jobs, "p": trace.posts, "m": trace.messages}
    shown = [
        (line.split()[0], ast.literal_eval(f"({line.split(None, 1)[1]})"))
        for line in records.strip().splitlines()
    ]
    assert shown == [(kind, record) for kind, rows in lists.items() for record in rows]
    first, said = shown[0][1], shown[-1][1]
    wanted = [
        b"".join(n.to_bytes(8, "little") for n in first),
        b"".join(n.to_bytes(8, "little") for n in (*said[:4], len(said[4].encode())))
        + said[4].encode(),
    ]
    rows = [line.split() for line in encoded.strip().splitlines()]
    assert [bytes.fromhex("".join(row[1:])) for row in rows] == wanted
    assert final.strip() == report.trace_hash == folded(*lists.values())


def test_the_memory_hash_is_what_the_docs_define() -> None:
    text = ".target trn2\n.sbuf t u16[2, 3]\n.sbuf u u8[1, 3]\n@vector Memset t[:, 1:3], 258\n"
    first = b"t" + bytes([255, 255, 2, 1, 2, 1] * 2) + bytes([0b00111100, 0b11110000])
    second = b"u" + b"\xff\xff\xff" + b"\x00"
    digest = hashlib.blake2b(first + second, digest_size=16).hexdigest()
    assert nasm.run(text).report.memory_hash == digest


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16", "e5m2", "e4m3", "e3m4", "e4m3fn"])
def test_the_memory_hash_counts_every_nan_as_one(dtype: str) -> None:
    text = f".target trn3\n.hbm X {dtype}[256] input\n"
    kind = nasm.assemble(text).tensors["X"].dtype
    patterns = np.arange(256, dtype=f"u{kind.itemsize}") << (8 * (kind.itemsize - 1))
    given = patterns.view(kind.numpy)  # of the longer ones the upper byte
    patterns[-1] = ~np.zeros((), patterns.dtype)
    nan = np.array([np.nan]).astype(kind.numpy)
    wanted = np.where(np.isnan(given), nan, given).tobytes()
    assert wanted != patterns.tobytes()
    mask = b"\xff" * (len(wanted) // 8)
    digest = hashlib.blake2b(b"X" + wanted + mask, digest_size=16).hexdigest()
    assert nasm.run(text, {"X": given}).report.memory_hash == digest


def test_the_memory_hash_takes_tensors_as_sessions_read_them() -> None:
    done = nasm.run(ROOT / "programs" / "softmax.nasm")
    hasher = hashlib.blake2b(digest_size=16)
    for name, tensor in done.session.program.tensors.items():
        values = np.ascontiguousarray(done.session.read(name))
        assert not tensor.dtype.is_float or not np.isnan(values).any()
        mask = np.repeat(done.session.known(name).reshape(-1), tensor.dtype.itemsize)
        hasher.update(name.encode() + values.tobytes() + np.packbits(mask).tobytes())
    assert done.report.memory_hash == hasher.hexdigest()
