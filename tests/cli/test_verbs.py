"""The other verbs, the help, and what happens when nasm itself is wrong."""

from __future__ import annotations

import ast
import gc
import json
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nasm import __version__
from nasm.apps import repl
from nasm.apps.cli import arguments, main
from nasm.apps.cli import verb as verb_module
from nasm.apps.cli import verbs as folder
from nasm.apps.cli.verb import Verb, VerbHead, named, names, verbs
from nasm.apps.cli.verbs import explain
from nasm.base import host_memory
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.runs.settings import RunSettings
from tests.cli.programs import ENDLESS, HALVES, MATMUL, written


def test_check_tells_the_errors_of_every_file_and_runs_none(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    bad = written(tmp_path, ".target trn1\n@sync Npo\n")
    done = ran("check", bad, halves, MATMUL)
    assert done.code == 2
    assert f"{halves}: ok, 4 instructions on 2 engines, NeuronCore-v2 (Trn1)" in done.out
    assert "PASS" not in done.out
    assert "error[E0201]" in done.err
    assert done.err.splitlines()[-1] == "1 error in 1 of 3 files"


def test_check_judges_what_expectations_say_without_a_run(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.5 tol=1\n"), encoding="utf-8")
    done = ran("check", halves)
    assert done.code == 2
    assert "E0222" in done.err


def test_check_passes_what_a_run_would_fail(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.25\n"), encoding="utf-8")
    assert ran("check", halves, "--quiet").code == 0


def test_check_finds_a_loop_that_never_ends(ran: Any, tmp_path: Path) -> None:
    text = ".target trn1\n@sync RegisterMove %r0, 1\nagain: @sync Nop\n"
    branch = "@sync CompareBranch %r0, 0, op=greater, target=again\n"
    done = ran("check", written(tmp_path, text + branch))
    assert done.code == 1
    assert "E0519]: the loop from line 3 to 4 of sync never ends" in done.err


def test_isa_lists_every_instruction(ran: Any) -> None:
    from nasm.targets.neuron import TARGET

    out = ran("isa").out
    assert set(TARGET.isa.rows) <= set(out.split())


def test_isa_shows_the_page_of_one(ran: Any) -> None:
    done = ran("isa", "MultiplyMoving")
    assert done.code == 0
    for word in ("moving", "accumulate", "LoadStationary a", "E0409", "nki.isa.nc_matmul"):
        assert word in done.out


@pytest.mark.parametrize("name", ["tensor_tensor", "TENSOR_TENSOR", "Tensortensor", "TensorTenser"])
def test_isa_knows_what_was_meant(ran: Any, name: str) -> None:
    done = ran("isa", name)
    assert done.code == 2
    assert "did you mean" in done.err
    assert "'TensorTensor'" in done.err


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_isa_prints_a_program_that_runs_an_example(ran: Any, tmp_path: Path, target: str) -> None:
    printed = ran("isa", "TensorTensor", "--example", "--target", target)
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith("; TensorTensor: ")
    assert f".target {target}\n" in printed.out
    assert "TensorTensor c, a, b, op=add\n" in printed.out
    assert ran("run", written(tmp_path, printed.out)).code == 0


def test_an_example_is_for_the_first_machine_that_has_the_instruction(ran: Any) -> None:
    assert ".target trn3\n" in ran("isa", "Exponential", "--example", "--json").document["example"]
    assert ".target trn1\n" in ran("isa", "Max8", "--example").out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["Exponential", "--example", "--target", "trn1"], "it runs on NeuronCore-v4 (Trn3)"),
        (["Max8", "--example", "--target", "trn9"], "no target 'trn9'"),
        (["max8", "--example"], "did you mean 'Max8'"),
        (["--example"], "--example wants the name of an instruction"),
        (["Max8", "--target", "wormhole"], "no instruction 'Max8'"),
        (["Max8", "--example", "--options"], "--options lists the options of the machines"),
        (["Max8", "--options"], "no instruction goes with it"),
        (["--search", "add", "--options"], "no instruction goes with it"),
        (["Max8", "--search", "add"], "no name goes with it"),
        (["--search", "add", "--example"], "no name goes with it"),
    ],
)
def test_an_example_that_there_is_not_exits_2_with_a_sentence(
    ran: Any, given: list[str], said: str
) -> None:
    done = ran("isa", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("said", "name", "where"),
    [
        ("add", "TensorTensor", "op=add"),
        ("nc_matmul", "MultiplyMoving", "NKI: nki.isa.nc_matmul"),
        ("TENSOR_COPY", "TensorCopy", "its name"),
        ("gelu", "Activation", "op=gelu"),
        ("float8_e4m3fn", "LoadStationary", "stationary of float8_e4m3fn"),
        ("bf16", "TopK", "val_dst of bfloat16"),
        ("accumulate", "MultiplyMoving", "operand accumulate"),
        ("duplicates", "Max8", "its description"),
        ("dma add", "DmaCompute", "its name, reduce_op=add"),
    ],
)
def test_isa_finds_instructions_by_name_operator_dtype_and_words(
    ran: Any, said: str, name: str, where: str
) -> None:
    done = ran("isa", "--search", said)
    assert done.code == 0
    found = ran("isa", "--search", said, "--json").document["instructions"]
    assert where in {row["name"]: row["found"] for row in found}[name]
    assert name in done.out
    assert len(found) < len(ran("isa", "--json").document["instructions"])


def test_what_is_found_in_a_name_comes_before_what_is_found_in_prose(ran: Any) -> None:
    rows = ran("isa", "--search", "transpose", "--json").document["instructions"]
    places = [row["found"] for row in rows]
    assert places[:2] == ["its name", "its name"]
    assert places == sorted(places, key=lambda said: (said != "its name", "desc" in said))


def test_a_search_without_a_result_exits_2_with_a_hint(ran: Any) -> None:
    done = ran("isa", "--search", "Tensorcopyy")
    assert (done.code, done.out) == (2, "")
    assert "no instruction has 'Tensorcopyy'\n  hint: did you mean 'TensorCopy'?" in done.err


@pytest.mark.parametrize("word", ["tensor_copy", "TensorCoppy", "nc_matmul", "MatMul", "Nopp"])
def test_isa_and_the_assembler_answer_an_unknown_word_alike(
    ran: Any, tmp_path: Path, word: str
) -> None:
    asked = ran("isa", word).err.splitlines()
    assembled = ran("check", written(tmp_path, f".target trn1\n@sync {word}\n")).err.splitlines()
    assert asked[0] == assembled[0] == f"error[E0201]: no instruction '{word}'"
    assert asked[-1] == next(line for line in assembled if "hint: " in line)


def test_an_unknown_word_that_instructions_have_leads_to_the_search(ran: Any) -> None:
    assert "'neuron-nasm isa --search gelu' lists the" in ran("isa", "gelu").err
    assert "'neuron-nasm isa' lists them all" in ran("isa", "qqq").err


@pytest.mark.parametrize(
    ("name", "synopsis"),
    [
        ("Nop", "Nop"),
        ("Reciprocal", "Reciprocal  dst, data"),
        ("TensorTensor", "TensorTensor  dst, data1, data2, op=operator"),
        ("CompareBranch", "[reg2=register|integer], [op=always], target=label"),
        ("DmaCompute", "DmaCompute  dst, srcs, reduce_op=add, [scales=[number, …]], "),
        ("Activation", "op=activation-function, [bias=number|tile], [scale=1.0], "),
    ],
)
def test_a_page_opens_with_a_synopsis_in_operand_order(ran: Any, name: str, synopsis: str) -> None:
    assert synopsis in ran("isa", name, "--json").document["instruction"]["synopsis"]
    first = ran("isa", name).out.partition("\n\n")[0]
    assert synopsis in " ".join(first.split("\n"))


def test_explain_tells_a_code_at_length_and_lists_them_all(ran: Any) -> None:
    assert "a read of uninitialised memory" in ran("explain", "e0501").out
    every = ran("explain").out
    assert "E0101" in every
    assert "E0901" in every
    unknown = ran("explain", "E9999")
    assert unknown.code == 2
    assert "E9999" in unknown.err


def test_repl_is_handed_everything(
    ran: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Any] = []

    def debugger(path: str | None, **options: Any) -> int:
        seen.append((path, options))
        return 7

    monkeypatch.setattr(repl, "main", debugger, raising=False)
    done = ran(
        "repl",
        "p.nasm",
        "-x",
        "script",
        "-ex",
        "run",
        "-ex",
        "queues",
        "-D",
        "N=2",
        "--in",
        f"X={tmp_path / 'x.npy'}",
        "--target",
        "trn2",
        "--option",
        "rounding.seed=3",
        "--timing",
        "my.toml",
        "--files",
        tmp_path,
        "-I",
        "lib",
        "-Imore",
        "--max-instructions",
        "7",
        "--strict",
        "--allow",
        "E0502",
        "--allow=E0505",
        "--unchecked",
        "--stay",
        "--echo",
        "--plain",
        "--view",
        "--init",
        "mine",
    )
    assert done.code == 7
    path, options = seen[0]
    assert path == "p.nasm"
    assert options.pop("inputs") == {"X": ArrayFile("", str(tmp_path / "x.npy"))}
    assert options.pop("settings") == RunSettings(
        target="trn2",
        defines={"N": 2},
        options={"rounding.seed": "3"},
        timing="my.toml",
        values=True,
        files=str(tmp_path),
        include=["lib", "more"],
        max_instructions=7,
        strict=True,
        allow=["E0502", "E0505"],
        checked=False,
        python=True,
    )
    assert options == {
        "typed_python": True,
        "rank": 0,
        "replay": None,
        "script": "script",
        "commands": ["run", "queues"],
        "stay": True,
        "echo": True,
        "plain": True,
        "view": True,
        "init": "mine",
        "no_init": False,
        "color": "auto",
        "kernel": None,
    }


# -- the command itself


def test_alone_it_prints_its_help(ran: Any) -> None:
    done = ran()
    assert done.code == 0
    for name in verbs():
        assert name in done.out


@pytest.mark.parametrize("verb", sorted(names() - {"lsp"}))  # which editors start
def test_every_verb_explains_its_options_with_an_example(ran: Any, verb: str) -> None:
    done = ran(verb, "--help")
    assert done.code == 0
    assert f"neuron-nasm {verb}" in done.out.split("examples:")[1]
    assert max(len(line) for line in done.out.splitlines()) <= 80


def test_every_example_of_help_is_a_command_line() -> None:
    tried, wrong = 0, []
    for text in [named(name).notes for name in verbs()]:
        for line in re.findall(r"^  .*?\b(neuron-nasm .*)$", text, re.MULTILINE):
            for command in re.sub(r"  +.*| < .*", "", line).split(" | "):
                words = shlex.split(command.replace("*", "a"))[1:]
                tried += 1
                try:
                    arguments.read(words)
                except (SystemExit, Failure):
                    wrong.append(command)
    assert wrong == []
    assert tried > 50


# -- where verbs are declared

CLI = Path(main.__code__.co_filename).parent


def declarations(path: Path) -> list[ast.stmt]:
    """The statements of a file that make a Verb."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (
        {n.func.id for n in ast.walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        for s in tree.body
    )
    return [s for s, called in zip(tree.body, calls, strict=True) if "Verb" in called]


def listed(path: Path) -> list[set[str]]:
    """The verbs in each collection of words in a file, where there are at least three."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
            words = node.keys if isinstance(node, ast.Dict) else node.elts
            found.append({w.value for w in words if isinstance(w, ast.Constant)} & names())
    return [verbs for verbs in found if len(verbs) > 2]


def test_each_verb_is_one_file_with_one_declaration() -> None:
    files = {path.stem: path for path in (CLI / "verbs").glob("*.py") if path.stem != "__init__"}
    assert set(files) == names() == set(verbs())
    for path in CLI.rglob("*.py"):
        made = declarations(path)
        assert len(made) == (path in files.values()), path
        for statement in made:
            assert ast.unparse(statement).startswith("VERB = Verb("), path
    ranks = [verb.rank for verb in verbs().values()]
    assert len(set(ranks)) == len(ranks)
    for name, head in verbs().items():
        assert {key: getattr(named(name), key) for key in VerbHead._fields} == head._asdict()


def test_no_other_list_of_verbs_is_kept() -> None:
    assert {path.name: listed(path) for path in CLI.rglob("*.py") if listed(path)} == {}


def test_a_file_is_all_that_a_verb_needs(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.verb import Verb
from nasm.base.problems import Failure, Problem, Refused

def body(args, screen):
    if args.program == "refused":
        raise Refused("E0812", "not this one")
    if args.program == "failure":
        raise Failure(Problem("E0801", "nor this one"))
    return args.answer.give(0, word=args.program) if args.json else 0

def arguments(verb):
    options.program(verb)
    options.json(verb)

VERB = Verb(summary="say a word", rank=5, arguments=arguments, body=body, notes="and no more",
            examples=(("word", "what it says"),), other_names=("tell",), document="program",
            conflicts=(lambda args: "not x" * (args.program == "x"),))
"""
    (tmp_path / "scratch.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    monkeypatch.setattr(verb_module, "names", names.__wrapped__)
    monkeypatch.setattr(arguments, "names", names.__wrapped__)
    monkeypatch.delattr(folder, "scratch", raising=False)
    try:
        assert next(iter(verbs())) == "scratch"
        shown = ran("--help").out
        assert "    scratch      say a word\n" in shown
        assert "  neuron-nasm scratch word                    what it says\n" in shown
        assert ran("scratch", "--help").out.endswith("\nand no more\n")
        assert ran("scratch", "a", "--json").document["word"] == "a"
        assert ran("scratch", "x").err == "neuron-nasm: not x\n"
        assert "'neuron-nasm scratch'" in ran("tell").err
        for word, code in (("refused", "E0812"), ("failure", "E0801")):
            done = ran("scratch", word, "--json")
            assert (done.code, done.document["problems"][0]["code"]) == (2, code)
            assert f"error[{code}]" in ran("scratch", word).err
    finally:
        sys.modules.pop("nasm.apps.cli.verbs.scratch", None)


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_reported(ran: Any, option: str) -> None:
    done = ran(option)
    assert (done.code, done.out) == (0, f"neuron-nasm {__version__}\n")


@pytest.mark.parametrize("verb", ["run", "check", "isa", "explain", "repl", "help"])
def test_help_of_a_verb_is_what_its_option_prints(ran: Any, verb: str) -> None:
    done = ran("help", verb)
    assert (done.code, done.err) == (0, "")
    assert done.out == ran(verb, "--help").out


def test_help_alone_and_of_other_topics(ran: Any) -> None:
    assert ran("help").out == ran("--help").out
    assert ran("help", "TensorCopy").out == ran("isa", "TensorCopy").out
    assert ran("help", "e0501").out == ran("explain", "E0501").out


@pytest.mark.parametrize(
    ("topic", "hint"),
    [
        ("expalin", "did you mean 'explain'?"),
        ("tensor_copy", "did you mean 'TensorCopy'?"),
        ("qqq", "commands: "),
    ],
)
def test_help_with_nothing_exits_2_with_a_hint(ran: Any, topic: str, hint: str) -> None:
    done = ran("help", topic)
    assert (done.code, done.out) == (2, "")
    assert f"no command, instruction or diagnostic '{topic}'\n  hint: {hint}" in done.err


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("given", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color=auto"], {}, False),
        (["--color=always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color=never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_colours_are_chosen_by_an_option_or_else_by_the_environment(
    ran: Any,
    monkeypatch: pytest.MonkeyPatch,
    given: list[str],
    environment: dict[str, str],
    coloured: bool,
    before: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for verb in (["isa", "Max8"], ["explain", "E0501"], ["run", MATMUL], ["isa", "Maxx"]):
        done = ran(*given, *verb) if before else ran(*verb, *given)
        assert ("\x1b[" in done.out + done.err) == coloured
    done = ran("repl", MATMUL, "-ex", "xxx", *given)
    assert ("\x1b[" in done.out + done.err) == coloured


def test_colours_in_a_pipe_fold_nothing(ran: Any, tmp_path: Path) -> None:
    program = written(tmp_path, ".target trn1\n@sync Npo" + " " * 90 + "; far\n")
    plain, coloured = (ran("check", program, f"--color={when}") for when in ("never", "always"))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.err) == plain.err
    assert max(map(len, plain.err.splitlines())) > 80


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rnu", "did you mean 'run'"),
        ("matmul.nasm", "neuron-nasm run matmul.nasm"),
        ("compile", "write 'neuron-nasm asm'"),
        ("debug", "write 'neuron-nasm repl'"),
        ("trace", "write 'neuron-nasm run --trace FILE'"),
    ],
)
def test_a_verb_that_is_none_exits_2_with_a_sentence(ran: Any, given: str, said: str) -> None:
    done = ran(given, "x")
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["run", "--optoin", "rounding=nearest", "x.nasm"], "no option --optoin: did you mean"),
        (["check", "x.nasm", "--quite"], "did you mean '--quiet'"),
        (["explain", "--all"], "explain has no option --all: it has -h, --help, --color, --json"),
        (["run", "p.nasm", "--xyzzy"], "--xyzzy: 'neuron-nasm run --help' lists its options"),
        (["--jsn"], "neuron-nasm has no option --jsn: it has -h, --help, -V, --version, --color"),
        (["run", "x.nasm", "y.nasm"], "run takes no 'y.nasm' here"),
        (["run", "x.nasm", "-o", "y"], "run has no option -o: write '--out'"),
        (["run", "x.nasm", "--define", "N=4"], "run has no option --define: write '-D'"),
        (["check", "x.nasm", "--arch", "trn2"], "check has no option --arch: write '--target'"),
    ],
)
def test_an_option_that_is_none_exits_2_with_a_sentence(
    ran: Any, given: list[str], said: str
) -> None:
    done = ran(*given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def doing(body: Callable[..., int]) -> Verb:
    """The verb ``explain``, with something else that it does."""
    return replace(explain.VERB, body=body)


def broken(*_: object) -> int:
    raise ZeroDivisionError("by nothing")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: Any) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(explain, "VERB", doing(broken))
    return tmp_path / "neuron-nasm" / "defects"


def test_a_defect_exits_70_and_keeps_its_details_in_a_file(ran: Any, state: Path) -> None:
    done = ran("explain", "E0101")
    assert done.code == 70
    assert "E0901" in done.err
    (details,) = state.iterdir()
    assert str(details) in done.err
    assert details.stat().st_mode & 0o777 == 0o600
    text = details.read_text(encoding="utf-8")
    assert "ZeroDivisionError: by nothing" in text
    assert "Traceback" in text


def test_a_defect_leaves_one_file_however_often_it_is_met(
    ran: Any, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (ran("explain", code).err for code in ("E0101", "E0501"))
    assert first == second
    assert len(list(state.iterdir())) == 1
    monkeypatch.setattr(explain, "VERB", doing(lambda *_: 1 // 0))
    ran("explain")
    assert len(list(state.iterdir())) == 2


def test_no_more_than_some_files_of_defects_are_kept(ran: Any, state: Path) -> None:
    ran("explain")
    (first,) = state.iterdir()
    for number in range(30):
        (state / f"{number}.txt").touch()
    os.utime(first, (1, 1))
    for number in range(30):
        os.utime(state / f"{number}.txt", (number + 2, number + 2))
    first.unlink()
    ran("explain")
    kept = {path.name for path in state.iterdir()}
    assert kept == {first.name, *(f"{n}.txt" for n in range(11, 30))}


def test_a_folder_that_others_may_write_to_keeps_no_details(ran: Any, state: Path) -> None:
    state.mkdir(parents=True)
    state.chmod(0o777)
    assert "NASM_DEBUG=1" in ran("explain").err
    assert list(state.iterdir()) == []


def test_a_defect_is_in_the_document(ran: Any, state: Path) -> None:
    done = ran("explain", "E0101", "--json")
    assert (done.code, done.document["exit_code"]) == (70, 70)
    assert [p["code"] for p in done.document["problems"]] == ["E0901"]
    assert str(state) in done.document["problems"][0]["hint"]


def test_a_defect_prints_its_details_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explain, "VERB", doing(lambda *_: 1 // 0))
    monkeypatch.setenv("NASM_DEBUG", "1")
    assert main(["explain"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception")])
def test_too_little_memory_is_no_defect(
    error: Exception, ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: object) -> int:
        raise error

    monkeypatch.setattr(host_memory, "_limits", lambda: iter([(1 << 30, "a limit")]))
    monkeypatch.setattr(explain, "VERB", doing(greedy))
    done = ran("explain", "--json")
    assert done.code == 2
    assert "E0808" in done.err
    assert [p["code"] for p in done.document["problems"]] == ["E0808"]


def test_too_little_memory_for_one_file_is_a_problem_of_that_file(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(source: Source, *given: Any) -> Any:
        if source.name == MATMUL:
            raise MemoryError
        return assemble(source, *given)

    monkeypatch.setattr("nasm.language.objects.loading.assemble", greedy)
    files = ran("check", MATMUL, halves, "--json").document["files"]
    assert [[p["code"] for p in file["problems"]] for file in files] == [["E0808"], []]


@pytest.mark.parametrize(
    ("given", "verb"),
    [
        (["run", "--json"], "run"),
        (["run", "x.nasm", "--max-cycles", "few", "--json"], "run"),
        (["check", "--json", "x.nasm", "--frob"], "check"),
        (["isa", "--json", "Max8", "--search", "x"], "isa"),
        (["explain", "--json", "a", "b"], "explain"),
    ],
)
def test_a_wrong_command_line_has_a_document_and_says_so_on_standard_error(
    ran: Any, given: list[str], verb: str
) -> None:
    done = ran(*given)
    assert (done.code, done.document["exit_code"]) == (2, 2)
    assert done.document["schema"] == f"neuron-nasm/{verb}"
    assert [p["code"] for p in done.document["problems"]] == ["E0812"]
    assert done.document["problems"][0]["message"] in done.err


@pytest.mark.parametrize("given", [["explain", "--", "--json"], ["help", "--json"], ["--json"]])
def test_where_json_is_no_option_there_is_no_document(ran: Any, given: list[str]) -> None:
    done = ran(*given)
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_limit_of_time_is_a_positive_number(ran: Any, value: str) -> None:
    done = ran("run", MATMUL, f"--timeout={value}")
    assert done.code == 2
    assert f"'{value}' is not a positive number of seconds" in done.err


def test_signals_are_left_as_they_were_found(ran: Any) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    assert ran("run", MATMUL, "--timeout", "100").code == 0
    assert [signal.getsignal(number) for number in numbers] == before


def test_the_command_can_be_called_in_any_thread(halves: Path, tmp_path: Path) -> None:
    endless = written(tmp_path, ENDLESS)
    codes: list[int] = []

    def elsewhere() -> None:
        codes.append(main(["run", str(halves), "--quiet"]))
        codes.append(main(["run", str(endless), "--quiet", "--timeout", "0.2"]))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert codes == [0, 124]


@pytest.mark.parametrize(
    "given",
    [
        ("run", MATMUL, "-D", "N={}"),
        ("run", MATMUL, "--out", "{}"),
        ("run", MATMUL, "--option", "{}"),
        ("run", MATMUL, "--max-cycles", "{}"),
        ("run", MATMUL, "--max-instructions", "{}"),
        ("run", MATMUL, "--timeout", "{}"),
        ("{}",),
        ("run", MATMUL, "{}"),
        ("run", MATMUL, "--{}"),
        ("help", "{}"),
        ("explain", "{}"),
    ],
)
def test_what_is_wrong_with_an_argument_is_said_in_one_line_that_is_not_long(
    ran: Any, given: tuple[str, ...]
) -> None:
    done = ran(*(word.format("1\nPASS" + "9" * 5000) for word in given))
    assert done.code == 2
    first, *others = done.err.splitlines()
    assert len(first) < 300
    assert not [line for line in others if line.startswith("PASS")]


def test_a_call_does_not_walk_through_what_is_frozen(
    ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gc.get_freeze_count does: a tenth of a second in a process with a million objects."""
    ran("explain", "E0501")
    used: list[str] = []
    for name in ("freeze", "get_freeze_count"):
        monkeypatch.setattr(gc, name, lambda name=name: used.append(name))
    ran("explain", "E0501")
    assert used == []


def test_a_page_says_what_to_use_instead_and_on_which_machines(ran: Any) -> None:
    done = ran("isa", "Activation", "--json")
    instead = {
        each["name"]: each["when"] for each in json.loads(done.out)["instruction"]["instead"]
    }
    assert instead["Activation2"].endswith("(v4)")
    assert "(" not in instead["TensorScalar"]
    shown = ran("isa", "Activation").out
    assert "Use instead\n    Activation2 " in shown
