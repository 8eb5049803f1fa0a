"""What shells complete, and the manual page: all verbs and options, as the shells see them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from nasm.apps.cli import arguments, completions, main
from nasm.apps.cli.verb import verbs

SHELLS = Path(__file__).parents[2] / "grammar" / "shells"

TRY = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
$(complete -p neuron-nasm | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(*words: str) -> list[str]:
    """What bash offers for the last of some words."""
    command = ("bash", "-c", TRY, "bash", str(SHELLS / completions.FILES["bash"]), "neuron-nasm")
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    return done.stdout.split()


def test_every_verb_and_option_is_in_every_file() -> None:
    missing = []
    whole = arguments.parser(whole=True)
    for file in (*completions.FILES.values(), "neuron-nasm.1"):
        text = (SHELLS / file).read_text(encoding="utf-8").replace("\\-", "-")
        for verb in verbs():
            for action in arguments.of_verb(whole, verb)._actions:
                for option in action.option_strings:
                    short = option.lstrip("-") if file.endswith(".fish") else option
                    if option not in ("-h", "--help") and short not in text:
                        missing.append((file, verb, option))
            if verb not in text:
                missing.append((file, verb, ""))
    assert missing == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_verbs_options_choices_and_codes() -> None:
    assert set(verbs()) <= set(completed(""))
    assert completed("prof") == ["profile"]
    assert {"--no-values", "--no-files", "--no-python"} <= set(completed("run", "--no-"))
    assert completed("run", "--color", "") == ["auto", "always", "never"]
    assert "E0501" in completed("explain", "E05")
    assert completed("isa", "TensorTensorS") == ["TensorTensorScan"]
    assert completed("completion", "") == ["bash", "zsh", "fish"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_files_where_a_verb_takes_them(tmp_path: Path) -> None:
    (tmp_path / "abc.nasm").write_text("")
    assert completed("run", f"{tmp_path}/ab") == [f"{tmp_path}/abc.nasm"]


@pytest.mark.parametrize("shell", completions.SHELLS)
def test_the_shell_can_read_its_file(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    path = SHELLS / completions.FILES[shell]
    done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_completes_verbs_and_options() -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    line = f"source {SHELLS / completions.FILES['fish']}; complete -C 'neuron-nasm run --no-v'"
    done = subprocess.run(["fish", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout.split()[:1] == ["--no-values"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_right_for_roff() -> None:
    command = ("groff", "-man", "-ww", "-Tutf8", str(SHELLS / "neuron-nasm.1"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "not defined" not in done.stderr
    assert "not allowed" not in done.stderr
    assert "NEURON-NASM(1)" in done.stdout


@pytest.mark.parametrize("shell", completions.SHELLS)
def test_the_command_prints_the_file(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    path = SHELLS / completions.FILES[shell]
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "cmd"]) == 2
    assert "choose from" in capsys.readouterr().err
