"""Topologies of users: what a file sets, and where it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.records import replace
from nasm.base.toml_files import LARGEST
from nasm.isa.evidence import Evidence, Fact
from nasm.targets.neuron.collectives.time import collective_cost
from nasm.targets.neuron.collectives.topology import EFA, LINK, named
from nasm.targets.neuron.collectives.topology_files import read, topology_of
from nasm.targets.neuron.generations import GENERATIONS
from tests.parts import part

V3 = GENERATIONS[1]


def written(folder: Path, text: str, ending: str = ".toml") -> str:
    path = folder / f"mine{ending}"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusals(path: str) -> list[tuple[str, int, str]]:
    with pytest.raises(Failure) as failure:
        read(path, 2)
    return [
        (p.message, 0 if p.span is None else p.span.line, p.hint) for p in failure.value.problems
    ]


def test_a_file_says_what_differs(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'base = "trn2.48xlarge"\ngrid = [2, 8]\nlnc = 1\n[figures]\nefa_bytes_per_ns = 50\n',
    )
    found = topology_of(path, V3, 2)
    assert (found.name, found.grid, found.ranks) == ("mine", (2, 8), 128)
    fact = found.fact(EFA)
    assert (fact.value, fact.evidence) == (50, Evidence.ASSUMED)
    assert fact.source == f"set by {path}"
    assert found.fact(LINK) == named("trn2.48xlarge").fact(LINK)
    slow, fast = (collective_cost("all_gather", 1 << 20, (0, n), found).ticks for n in (256, 64))
    assert slow > fast  # another instance, and another chip


def test_json_says_the_same(tmp_path: Path) -> None:
    values = {"base": "trn2.48xlarge", "layers": 4, "figures": {"neuronlink_bytes_per_ns": 64}}
    both = [
        read(written(tmp_path, json.dumps(values), ".json"), 2),
        read(written(tmp_path, 'base = "trn2.48xlarge"\nlayers = 4\n'
                     "figures.neuronlink_bytes_per_ns = 64\n"), 2),
    ]  # fmt: skip
    assert both[0].fact(LINK).value == both[1].fact(LINK).value == 64
    assert both[0].ranks == both[1].ranks == 256


TOML = (
    ('grid = [4, 4]\n', "base is the name of a topology, missing", 1, "write a line"),
    ('base = "trn9"\n', "no topology 'trn9'", 1, "there are trn1.2xlarge, "),
    ('base = 3\n', "base is the name of a topology, not 3", 1, "write a line"),
    ("gird = [4, 4]\n", "a topology has no setting 'gird'", 2, "did you mean 'grid'?"),
    ("grid = [4, 0]\n", "grid is two numbers of chips, such as [4, 4], not [4, 0]", 2, None),
    ("grid = 4\n", "grid is two numbers of chips, such as [4, 4], not 4", 2, None),
    ("layers = true\n", "layers is a number from 1 to 65,536, not True", 2, None),
    ("lnc = 3\n", "lnc is 1 or 2, not 3", 2, None),
    ("cores = 3\n", "3 cores of a chip are no ranks of 2", 1, None),
    ("figures = 3\n", "a topology has no table of figures", 2, "a topology has base"),
    ("\n[figures]\nefa_byte_per_ns = 3\n",
     "no figure 'efa_byte_per_ns' of links and collectives", 4, "did you mean 'efa_bytes_per_ns'?"),
    ("[figures]\nefa_bytes_per_ns = 0\n",
     "efa_bytes_per_ns is a number from 0.001 to 1,000,000 (bytes per ns), not 0", 3, None),
    ("[figures]\nefa_bytes_per_ns = nan\n",
     "efa_bytes_per_ns is a number from 0.001 to 1,000,000 (bytes per ns), not nan", 3, None),
    ("[figures]\nrack_link_bytes_per_ns = 3\n",
     "no figure 'rack_link_bytes_per_ns' of links and collectives", 3, "did you mean"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "message", "line", "hint"), TOML)
def test_a_wrong_key_is_refused_at_its_line(
    tmp_path: Path, text: str, message: str, line: int, hint: str | None
) -> None:
    base = "" if "base" in text or message.startswith("base") else 'base = "trn2.48xlarge"\n'
    ((said, where, advice),) = refusals(written(tmp_path, base + text))
    assert said == message
    assert where == line
    assert advice == "" if hint is None else advice.startswith(hint)


def test_everything_wrong_is_refused_at_once_in_json_too(tmp_path: Path) -> None:
    text = '{\n  "base": "trn2.48xlarge",\n  "gird": 1,\n  "figures": {\n    "hop": 1\n  }\n}\n'
    found = refusals(written(tmp_path, text, ".json"))
    assert [line for _, line, _ in found] == [3, 5]


@pytest.mark.parametrize(
    ("text", "ending", "words"),
    [
        ("base = ", ".toml", "is no topology in TOML"),
        ("{", ".json", "is no topology in JSON: expecting property name"),
        ("[1]", ".json", "is no topology in JSON: it is no object"),
        ("[" * 4000, ".json", "is no topology in JSON: "),
        ("\n" * (LARGEST + 1), ".json", "more than 65,536 characters"),
        ('{"lnc": ' + "9" * 3900 + "9" * 90 + "}", ".json", "lnc is 1 or 2"),
    ],
)
def test_what_cannot_be_read_is_reported(
    tmp_path: Path, text: str, ending: str, words: str
) -> None:
    ((said, _, _),) = refusals(written(tmp_path, text, ending))
    assert words in said or "base is the name" in said


def test_any_cut_of_a_file_is_refused_or_read(tmp_path: Path) -> None:
    text = '{"base": "trn2.48xlarge", "grid": [2, 4], "figures": {"efa_bytes_per_ns": 50}}'
    for end in part(range(len(text)), 25):
        with pytest.raises(Failure):
            read(written(tmp_path, text[:end], ".json"))


def test_a_topology_of_another_generation_is_refused() -> None:
    with pytest.raises(Refused, match="NeuronCore-v2, the program is of NeuronCore-v3") as refused:
        topology_of("trn1.32xlarge", V3, 1)
    assert refused.value.hint == "the usual one is trn2.48xlarge"


def test_a_rank_has_the_cores_of_the_program_unless_a_file_says_others(tmp_path: Path) -> None:
    for given in (None, "trn2.48xlarge", written(tmp_path, 'base = "trn2.48xlarge"\n')):
        assert [topology_of(given, V3, cores).ranks for cores in (1, 2)] == [128, 64]
    path = written(tmp_path, 'base = "trn2.48xlarge"\nlnc = 2\n')
    assert topology_of(path, V3, 1).ranks == 64


def test_figures_that_a_run_sets_hold_but_for_those_of_a_file(tmp_path: Path) -> None:
    fact = Fact(1.0, Evidence.ASSUMED, "a test")
    run = replace(V3, numbers={**V3.numbers, EFA: fact, LINK: fact})
    assert topology_of(None, run, 2).fact(EFA).value == 1
    path = written(tmp_path, 'base = "trn2.48xlarge"\n[figures]\nefa_bytes_per_ns = 50\n')
    both = topology_of(path, run, 2)
    assert (both.fact(EFA).value, both.fact(LINK).value) == (50, 1)
