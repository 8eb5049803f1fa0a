"""What no function of nki.isa takes is refused as a diagnostic, whatever it is."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.nki import isa as nisa
from nasm.nki.kernel import trace
from tests.nki.minikernel import sbuf
from tests.parts import part
from tests.tables import each

THINGS = {
    "nothing": lambda: None,
    "an object": object,
    "an array": lambda: np.ones(3),
    "a string": lambda: "x",
    "a number": lambda: 2.5,
    "a register": lambda: nisa.register_alloc(3),
}


@each("thing", THINGS)
@each("name", part(list(nisa.FUNCTIONS), 10))
def test_an_operand_that_is_none_is_refused(name: str, thing: str) -> None:
    function = getattr(nisa, name)
    needed = [p.name for p in signature(function).parameters.values()]
    defaults = {p.name: p.default for p in signature(function).parameters.values()}
    needed = [n for n in needed if defaults[n] is Parameter.empty]
    if (name, thing) in (("register_move", "a register"),):
        pytest.skip("it takes one")

    def kernel(_: Any) -> None:
        function(**{n: THINGS[thing]() for n in needed})

    with pytest.raises(Failure) as failure:
        trace(kernel, np.zeros((128, 8), np.float32))
    assert all(p.span is not None for p in failure.value.problems)


@pytest.mark.parametrize(
    ("engine", "said"), [("dma", "execute no instructions"), ("tensor", "TensorCopy"), ("sync", "")]
)
def test_an_engine_that_does_not_have_the_instruction_is_refused(engine: str, said: str) -> None:
    def kernel(_: Any) -> None:
        nisa.tensor_copy(sbuf((128, 8)), sbuf((128, 8)), engine=nisa.engine[engine])

    with pytest.raises(Failure) as failure:
        trace(kernel, np.zeros((128, 8), np.float32))
    assert said in failure.value.problems[0].message
    assert failure.value.problems[0].code in ("E0408", "E0651")
