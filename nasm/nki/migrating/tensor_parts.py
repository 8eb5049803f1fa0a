"""Parts of tensors: index expressions and masks as slices."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.base.records import replace
from nasm.nki.migrating.expressions import Expressions
from nasm.nki.migrating.index_text import bounded, shape_of, sizes_of_slices, sliced
from nasm.nki.migrating.polynomials import ONE, ZERO, Polynomial
from nasm.nki.migrating.tile_shapes import is_tile
from nasm.nki.migrating.values import (
    AffineMask,
    IndexVector,
    MeshVectors,
    OldTensor,
    PendingCall,
    PythonValue,
    Untranslatable,
    Value,
)
from nasm.nki.migrating.vectors import with_axes


class TensorParts(Expressions):
    """Expressions with indices in them."""

    def subscript(self, node: ast.Subscript) -> Value:
        """Part of a tensor, of an index expression, or of what is Python's."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "mgrid":
            return self._mesh(node)
        value = self.value(node.value)
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match value:
            case IndexVector():
                return with_axes(node, value, keys)
            case MeshVectors(axes):
                place = keys[0].value if isinstance(keys[0], ast.Constant) else None
                if isinstance(place, int) and 0 <= place < len(axes):
                    return axes[place]
                raise Untranslatable(node, "an axis of nl.mgrid that is no number")
            case PendingCall():
                return self.part(node, self.made(value), keys, None)
            case OldTensor():
                return self.part(node, value, keys, None)
            case PythonValue():
                items = [self.item(key) for key in keys]
                if any(isinstance(item, IndexVector) for item in items):
                    return self.part(node, OldTensor(value.text), keys, None)
        return PythonValue(self.plain(node))

    def _mesh(self, node: ast.Subscript) -> MeshVectors:
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        axes = []
        for place, key in enumerate(keys):
            if not isinstance(key, ast.Slice) or key.upper is None or key.step is not None:
                raise Untranslatable(node, "nl.mgrid of what is no start:stop")
            low = Polynomial.parsed(self.text(key.lower)) if key.lower is not None else ZERO
            size = Polynomial.parsed(self.text(key.upper)) - low
            sizes = tuple(size if n == place else ONE for n in range(len(keys)))
            steps = tuple(ONE if n == place else ZERO for n in range(len(keys)))
            axes.append(IndexVector(low, sizes, steps))
        self.count("index vectors are slices")
        return MeshVectors(tuple(axes))

    def item(self, key: ast.expr) -> Value:
        """What is at one place in the brackets."""
        if isinstance(key, ast.Slice):
            return PythonValue(self.plain(key))
        return self.value(key)

    def part(
        self, node: ast.AST, tensor: OldTensor, keys: Sequence[ast.expr], mask: AffineMask | None
    ) -> OldTensor:
        """Part of a tensor, of which a mask leaves some."""
        items: list[Value] = []
        for key in keys:
            item = self.item(key)
            items += item.axes if isinstance(item, MeshVectors) else (item,)
        text, taken = tensor.text, min(tensor.blocks, len(items))
        for item in items[:taken]:
            if not isinstance(item, PythonValue) or ":" in item.text or item.text == "...":
                raise Untranslatable(node, "several blocks at once: today a list of tiles")
            text += f"[{item.text}]"
        items = items[taken:]
        inner = replace(tensor, text=text, blocks=0)
        if not items:
            return replace(tensor, text=text, blocks=tensor.blocks - taken)
        vectors = [item for item in items if isinstance(item, IndexVector)]
        if not vectors:
            return self._basic(node, inner, items, mask)
        if not all(isinstance(item, IndexVector | PythonValue) for item in items):
            raise Untranslatable(node, "an index that a tile decides: use .ap()")
        if any(isinstance(item, PythonValue) and ":" in item.text for item in items):
            raise Untranslatable(node, "slices and index vectors in one index")
        bounds = bounded(node, shape_of(node, vectors), mask)
        index, sizes = sliced(node, inner, items, bounds)
        self.count("index vectors are slices")
        full = shape_of(node, vectors)
        return replace(inner, text=f"{text}{index}", sizes=sizes, full=full, part=True)

    def _basic(
        self, node: ast.AST, tensor: OldTensor, items: Sequence[Value], mask: AffineMask | None
    ) -> OldTensor:
        if mask is not None:
            raise Untranslatable(node, "a mask on what is indexed by slices")
        texts = [item.text for item in items if isinstance(item, PythonValue | OldTensor)]
        if len(texts) != len(items) or any(isinstance(item, OldTensor) for item in items):
            raise Untranslatable(node, "an index that a tile decides: use .ap()")
        if texts == ["..."]:
            return tensor
        text = f"{tensor.text}[{', '.join(texts)}]"
        sizes = sizes_of_slices(tensor, texts)
        return replace(tensor, text=text, sizes=sizes, full=None, part=True)

    def masked(self, node: ast.expr, mask: AffineMask | None) -> OldTensor:
        """A tensor that a call takes, of which a mask leaves some."""
        if mask is not None and isinstance(node, ast.Subscript):
            value = self.value(node.value)
            if isinstance(value, PendingCall):
                value = self.made(value)
            if isinstance(value, PythonValue):
                value = OldTensor(value.text)
            keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if isinstance(value, OldTensor):
                return self.part(node, value, keys, mask)
        found = self.value(node)
        if isinstance(found, PendingCall):
            found = self.made(found)
        if isinstance(found, PythonValue):
            found = OldTensor(found.text)
        if not isinstance(found, OldTensor):
            raise Untranslatable(node, "an index vector or a mask as a value")
        return found if mask is None else self._cut(node, found, mask)

    def _cut(self, node: ast.expr, tensor: OldTensor, mask: AffineMask) -> OldTensor:
        """What a mask leaves of a whole tile."""
        sizes = tensor.full or tensor.sizes
        if sizes is None:
            raise Untranslatable(node, "a mask on a tile whose shape is not in sight")
        bounds = bounded(node, sizes, mask)
        left = tuple(high for _, high in bounds)
        if tensor.sizes == left:
            return tensor
        texts = [
            ":" if (ZERO, size) == span else f"0:{span[1]}"
            for size, span in zip(tensor.sizes or sizes, bounds, strict=True)
        ]
        text = f"{tensor.text}[{', '.join(texts)}]"
        return replace(tensor, text=text, sizes=left, full=sizes, part=True)

    def operand(self, node: ast.expr, mask: AffineMask | None) -> Value:
        """A number, or what a mask leaves of a tile."""
        value = self.value(node)
        return (
            self.masked(node, mask) if is_tile(value) or isinstance(value, IndexVector) else value
        )
