"""A kernel of nki-library, as one of the library's own tests calls it.

A test is called with parameters of ours: it makes the inputs, names the reference and the
tolerance, and asks for an execution, which is recorded instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from nasm.nki.library_tests import judging, stand_ins
from tests.nki.published.cases import Asked, error, on_path

TESTS = "test.integration.nkilib"
COMMON = "test.utils.common_dataclasses"


@dataclass(frozen=True)
class In:
    """What has some name in the module of a test, as ``nl.bfloat16``."""

    name: str

    def of(self, module: ModuleType) -> Any:
        """It."""
        return reduce(getattr, self.name.split("."), module)


Arrange = Callable[[Any, dict[str, Any], int], Mapping[str, Any]]
"""What a test is called with: from its module, the parameters of a case, and how many cores."""


def as_given(_: Any, given: dict[str, Any], __: int) -> Mapping[str, Any]:
    """The parameters themselves."""
    return given


@dataclass(frozen=True)
class Kernel:
    """A kernel with the test that calls it: calling this makes a case.

    ``test`` is a class and a method, ``usual`` parameters that cases have unless they say
    otherwise. ``lacks`` names what the test's module uses and does not import, with the module that
    has it.
    """

    stage: int
    name: str
    module: str
    test: str
    usual: Mapping[str, Any] = field(default_factory=dict)
    arrange: Arrange = as_given
    lacks: tuple[tuple[str, str], ...] = ()

    def __call__(
        self, says: str, lnc: int = 0, target: str = "trn2", long: bool = False, **given: Any
    ) -> Tested:
        """A case, and what tells it from others; ``lnc`` cores, where the test does not say."""
        said = f"{self.name} [{says}]"
        return Tested(self.stage, said, self, {**self.usual, **given}, target, lnc, long)


@dataclass(frozen=True)
class Tested:
    """One call of a test of the library."""

    stage: int
    name: str
    kernel: Kernel
    given: Mapping[str, Any]
    target: str = "trn2"
    lnc: int = 0
    long: bool = False
    published: float | None = None
    values: bool = True
    root: str = "library"

    def ask(self, roots: Mapping[str, Path]) -> Asked:
        """The call that the test asks for."""
        stand_ins.install()
        with on_path(roots[self.root], roots[self.root] / "src"):
            module = load(f"{TESTS}.{self.kernel.module}", self.kernel.lacks)
            owner, _, method = self.kernel.test.partition(".")
            test = getattr(getattr(module, owner)(), method)
            recorder = Recorder()
            test(**self._parameters(module, test, recorder))
            (asked,) = recorder.asked
            return self._asked(asked)

    def _parameters(self, module: ModuleType, test: Any, recorder: Recorder) -> dict[str, Any]:
        given = {
            name: value.of(module) if isinstance(value, In) else value
            for name, value in self.given.items()
        }
        fixtures = {
            "test_manager": recorder,
            "collector": Unheard(),
            "platform_target": importlib.import_module(COMMON).Platforms(self.target),
            "is_negative_test_case": False,
            "request": SimpleNamespace(node=SimpleNamespace(callspec=SimpleNamespace(id=""))),
        }
        wanted = inspect.signature(test).parameters
        made = {name: value for name, value in fixtures.items() if name in wanted}
        return {**made, **self.kernel.arrange(module, given, self.lnc)}

    def _asked(self, asked: Any) -> Asked:
        handed = judging.arguments(asked.kernel_func, asked.kernel_input)
        said = asked.compiler_input
        return Asked(
            asked.kernel_func,
            tuple(map(copied, handed)),
            {},
            str(said.platform_target),
            self.lnc or said.logical_nc_config,
            judge(asked.validation_args),
        )


class Recorder:
    """Keeps what a test asks to have executed."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def execute(self, arguments: Any) -> None:
        """Keep it."""
        self.asked.append(arguments)


class Unheard:
    """Somebody who is told of a test, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def copied(value: Any) -> Any:
    """An array that the reference does not share with the kernel."""
    return value.copy() if isinstance(value, np.ndarray) else value


def judge(said: Any) -> Callable[[Any], float] | None:
    """How far off an output is, as a test has it; none if it does not say."""
    golden = said.golden_output
    if isinstance(golden, dict):
        validators = [entry.validator(None) for entry in golden.values()]
        return lambda found: max(
            0.0 if validator.validate(part) else float("inf")
            for part, validator in zip(judging.outputs(found), validators, strict=True)
        )
    wanted = golden.golden
    if wanted is None:
        return None
    names, allowed = list(golden.output_ndarray), (said.relative_accuracy, said.absolute_accuracy)

    def judged(found: Any) -> float:
        named = judging.matched(judging.outputs(found), wanted, names)
        return error(list(named.values()), wanted, *allowed)

    return judged


def load(name: str, lacks: tuple[tuple[str, str], ...]) -> ModuleType:
    """A module of tests, with the names that it uses and does not import."""
    if name in sys.modules or not lacks:
        return importlib.import_module(name)
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for word, home in lacks:
        setattr(module, word, getattr(importlib.import_module(home), word))
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module
