"""Functions of ``nisa``, which get a ``dst``."""

from __future__ import annotations

import ast

from nasm.base.records import replace
from nasm.nki.migrating.index_text import over
from nasm.nki.migrating.language_calls import METHODS, LanguageCalls
from nasm.nki.migrating.results import OPERATORS, RESULTS, known, operator_name, parameters
from nasm.nki.migrating.tile_shapes import cut_like, result_sizes, tuple_text, unmasked
from nasm.nki.migrating.values import (
    AffineMask,
    IndexVector,
    OldTensor,
    PendingCall,
    PythonValue,
    Untranslatable,
    Value,
)


class InstructionCalls(LanguageCalls):
    """Expressions with all calls in them."""

    def call(self, node: ast.Call) -> Value:
        """What a call gives."""
        module, name = self.function_of(node.func)
        if module == "nisa":
            return self.instruction(node, name)
        if module == "nl":
            return self.of_language(node, name)
        if module == "ncc" and name == "no_reorder":
            return PythonValue(f"{self.modules['nl']}.no_reorder()")
        if module == "nki":
            return self._of_nki(node, name)
        memory = self.allocation(node.func)
        if memory:
            self.remark(f"line {node.lineno}: the place that the kernel chose is left to nasm")
            return PythonValue(f"{self.modules['nl']}.{memory}")
        text = self.plain(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.tiles_returned:
            return OldTensor(text)
        if isinstance(node.func, ast.Attribute):
            owner = self.names.get(getattr(node.func.value, "id", ""))
            if isinstance(owner, OldTensor) and node.func.attr in ("reshape", "view"):
                return self._reshaped(node, owner, text)
            if isinstance(owner, OldTensor) and node.func.attr in METHODS:
                return self._method(node, owner)
        return PythonValue(text)

    def _of_nki(self, node: ast.Call, name: str) -> PythonValue:
        """A way to run a kernel."""
        nki = self.modules["nki"]
        if name in ("benchmark", "profile"):
            raise Untranslatable(node, f"nki.{name}: nasm.nki.run has the time of a run")
        if name == "simulate_kernel" and node.args and not isinstance(node.args[0], ast.Starred):
            first, words = self.text(node.args[0]), [self.text(one) for one in node.args[1:]]
            words += [f"{word.arg or ''}={self.text(word.value)}" for word in node.keywords]
            if all(word.arg for word in node.keywords):
                return PythonValue(f"{nki}.simulate({first})({', '.join(words)})")
        if name in ("baremetal", "trace") and len(node.args) == 1:
            return PythonValue(f"{nki}.jit({self.text(node.args[0])})")
        return PythonValue(self.plain(node))

    def instruction(self, node: ast.Call, name: str) -> Value:
        """A function of nisa, whose tile is made when it is known where it goes."""
        if not known(name):
            raise Untranslatable(node, f"nisa.{name}")
        given = self.arguments(node, parameters(name))
        mask = self.mask(given)
        self.count("instructions have a dst")
        if "dst" in given:
            return self._given(node, name, given, mask)
        if name == "memset":
            return self._memset(node, given, mask)
        made = RESULTS.get(name)
        if made is None and name != "iota":
            raise Untranslatable(node, f"nisa.{name}: its shape is not written by this command")
        if made is None:
            return self._iota(node, given)
        if name == "dma_transpose" and "axes" in given:
            raise Untranslatable(node, "nisa.dma_transpose with axes=")
        if name == "nc_transpose" and "vector" in self.source.of(given.get("engine", node.func)):
            made = replace(made, memory="sbuf")
        extra = self._predicate(given) if name == "affine_select" else ()
        dtype = self.text(given.pop("dtype")) if "dtype" in given else made.dtype
        if made.dtype:
            dtype = made.dtype.replace("nl.", self.modules["nl"] + ".")
        tensors = [self.named(self.masked(given[one], mask)) for one in made.main]
        arguments = (*extra, *self._operands(given, dict(zip(made.main, tensors, strict=True))))
        first, other = tensors[0], tensors[-1]
        same = made.shape == "{}.shape"
        sizes = first.sizes if same else result_sizes(name, first, other)
        shape = made.shape.replace("{other}", other.text).replace("{}", first.text)
        if sizes is not None:
            shape = f"({', '.join(map(str, sizes))})"
        result = OldTensor(
            "",
            made.memory,
            sizes,
            dtype or first.dtype or f"{first.text}.dtype",
            full=first.full if same else result_sizes(name, unmasked(first), unmasked(other)),
        )
        return PendingCall(self.modules["nisa"], name, arguments, shape, result)

    def _walk(self, node: ast.AST, vector: IndexVector) -> tuple[tuple[str, str], ...]:
        """An index expression as nisa takes it: a pattern of the free axes, and what it adds to."""
        whole = over(vector, max(len(vector.sizes), 2))
        pairs = zip(whole.steps[1:], whole.sizes[1:], strict=True)
        pattern = ", ".join(f"[{step}, {size}]" for step, size in pairs)
        found = [("pattern", f"[{pattern}]"), ("offset", str(whole.const))]
        return (*found, ("channel_multiplier", str(whole.steps[0])))

    def _predicate(self, given: dict[str, ast.expr]) -> tuple[tuple[str, str], ...]:
        node = given.pop("pred")
        mask = self.value(node)
        if not isinstance(mask, AffineMask) or len(mask.least) != 1:
            raise Untranslatable(node, "nisa.affine_select by what is no single inequality")
        greater = f"{self.modules['nl']}.greater_equal"
        return (*self._walk(node, mask.least[0]), ("cmp_op", greater))

    def _iota(self, node: ast.AST, given: dict[str, ast.expr]) -> PendingCall:
        vector = self.value(given["expr"])
        if not isinstance(vector, IndexVector):
            raise Untranslatable(node, "nisa.iota of what is no index expression")
        sizes, dtype = over(vector, max(len(vector.sizes), 2)).sizes, self.text(given["dtype"])
        result = OldTensor("", "sbuf", sizes, dtype)
        arguments = self._walk(node, vector)
        return PendingCall(self.modules["nisa"], "iota", arguments, tuple_text(sizes), result)

    def _operands(
        self, given: dict[str, ast.expr], tensors: dict[str, OldTensor]
    ) -> tuple[tuple[str, str], ...]:
        found = []
        first = next(iter(tensors.values()), None)
        for word, value in given.items():
            if word in tensors:
                found.append((word, tensors[word].text))
            elif word in OPERATORS:
                found.append((word, self.operator(value)))
            else:
                operand: Value = PythonValue(self.text(value))
                held = self.names.get(value.id) if isinstance(value, ast.Name) else None
                if isinstance(held, OldTensor) and first is not None:
                    operand = cut_like(held, first)
                found.append((word, self.settled(value, operand)))
        return tuple(found)

    def operator(self, node: ast.expr) -> str:
        """An operator as nl names it."""
        if isinstance(node, ast.Attribute) and self.source.of(node.value) in ("np", "numpy"):
            return f"{self.modules['nl']}.{operator_name(node.attr)}"
        return self.source.of(node)

    def _given(
        self, node: ast.Call, name: str, given: dict[str, ast.expr], mask: AffineMask | None
    ) -> Value:
        """A call that had its dst before."""
        tensors = {
            word: self.masked(given[word], mask) for word in given if word in ("dst", "src", "data")
        }
        arguments = self._operands(given, tensors)
        result = tensors["dst"]
        rest = tuple((word, text) for word, text in arguments if word != "dst")
        return PendingCall(self.modules["nisa"], name, rest, "", result, given=True)

    def _memset(self, node: ast.Call, given: dict[str, ast.expr], mask: AffineMask | None) -> Value:
        if mask is not None:
            raise Untranslatable(node, "a mask of nisa.memset")
        shape, dtype = self.text(given.pop("shape")), self.text(given.pop("dtype"))
        sizes = self.sizes_of(shape)
        arguments = self._operands(given, {})
        result = OldTensor("", "sbuf", sizes, dtype)
        return PendingCall(self.modules["nisa"], "memset", arguments, shape, result)
