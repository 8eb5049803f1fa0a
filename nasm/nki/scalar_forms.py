"""What Scalar computes by its own function, in the same bits, of calls that name other functions.

The compiler of NKI 0.1 chose engines for calls that name none, and profiles of NKIBench on trn1
(zhang677/AccelOpt, profile_results.csv) show that Scalar took such calls: in kernels of matmuls it
copies out of PSUM, since Vector is not active at all; in AdamW it is active for six instructions of
each piece, where the text has one activation. SiLU takes less time than Vector would for its
reciprocals alone, at the documented eight cycles an element.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.isa.instruction import Row
from nasm.isa.isa import Isa
from nasm.nki.engines import function
from nasm.nki.signatures import functions
from nasm.views.view import View

Form = tuple[Row, dict[str, Any]]


def scalar_form(isa: Isa, row: Row, operands: Mapping[str, Any]) -> Form | None:
    """The same call as one of Scalar's function, if there is such a one."""
    name = function(row)
    source = operands.get("src" if name == "tensor_copy" else "data")
    into = operands.get("dst")
    if not isinstance(source, View) or not isinstance(into, View):
        return None
    if source.dtype.is_int or into.dtype.is_int:
        return None
    made: dict[str, Any] = {"dst": into, "data": source, "op": "copy"}
    if name == "tensor_scalar":
        if operands.get("op0") != "multiply" or operands.get("op1") is not None:
            return None
        made["scale"] = operands["operand0"]
    elif name == "reciprocal":
        made["op"] = "reciprocal"
    elif name != "tensor_copy":
        return None
    return functions(isa)["activation"][0], made
