"""The bill of materials of the wheel: what it depends on, and under which licences (PEP 770).

It is CycloneDX 1.6, and the same for the same pyproject.toml: no time, no serial number.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.requirements import Requirement

NAME = "neuron-nasm.cdx.json"

LICENCES = {
    "distributed": "BSD-3-Clause",
    "ipython": "BSD-3-Clause",
    "lark": "MIT",
    "ml-dtypes": "Apache-2.0",
    "mpi4py": "BSD-3-Clause",
    "numpy": "BSD-3-Clause",
    "optuna": "MIT",
    "prompt-toolkit": "BSD-3-Clause",
    "pyarrow": "Apache-2.0",
    "pygls": "Apache-2.0",
    "pygments": "BSD-2-Clause",
    "rich": "MIT",
}
"""The licence of each dependency's own code, as its metadata has it. A wheel of NumPy or of PyArrow
contains code of others, which its own metadata lists."""


def bill(
    name: str,
    version: str,
    licence: str,
    required: Sequence[str],
    optional: Mapping[str, Sequence[str]],
) -> str:
    """The document; KeyError for a dependency whose licence is not known here."""
    own = f"pkg:pypi/{name}@{version}"
    parts = [_component(each, "required") for each in required]
    parts += [_component(each, "optional") for extra in optional.values() for each in extra]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": name,
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": licence}}],
            }
        },
        "components": parts,
        "dependencies": [
            {"ref": own, "dependsOn": [part["bom-ref"] for part in parts]},
            *({"ref": part["bom-ref"]} for part in parts),
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _component(text: str, scope: str) -> dict[str, Any]:
    """A dependency: its version is any that its specifier allows."""
    name = Requirement(text).name  # in lower case and with hyphens, as hatchling has it
    purl = f"pkg:pypi/{name}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "purl": purl,
        "scope": scope,
        "licenses": [{"license": {"id": LICENCES[name]}}],
        "properties": [{"name": "neuron-nasm:requirement", "value": text}],
    }


class BillOfMaterials(BuildHookInterface[Any]):
    """Puts the document into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write it where the builder finds it."""
        if version == "editable":
            return
        core = self.metadata.core
        text = bill(
            core.name,
            self.metadata.version,
            core.license_expression,
            core.dependencies,
            core.optional_dependencies,
        )
        folder = Path(tempfile.mkdtemp())
        (folder / NAME).write_text(text, encoding="utf-8")
        build_data["sbom_files"].append(str(folder / NAME))
        self._folder = folder

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written."""
        if version != "editable":
            (self._folder / NAME).unlink()
            self._folder.rmdir()
