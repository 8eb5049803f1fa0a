"""The bill of materials knows every dependency: without that no wheel can be built."""

from __future__ import annotations

import json
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def test_each_dependency_has_its_licence() -> None:
    spec = spec_from_file_location("bill_of_materials", ROOT / "docs" / "bill_of_materials.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [normal(each) for each in project["dependencies"]]
    optional = [normal(e) for extra in project["optional-dependencies"].values() for e in extra]
    document = json.loads(module.bill("neuron-nasm", "0", "MIT", required, {"all": optional}))
    wanted = {Requirement(each).name for each in (*required, *optional)}
    assert {part["name"] for part in document["components"]} == wanted


def normal(requirement: str) -> str:
    """A requirement as hatchling passes it on: its name in lower case, with hyphens."""
    return requirement.lower().replace("_", "-")
