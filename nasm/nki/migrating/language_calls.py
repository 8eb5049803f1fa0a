"""Functions of ``nl`` as today's dialect calls them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.base.records import replace
from nasm.nki.language import BINARY, REDUCTIONS, TABLES
from nasm.nki.migrating.polynomials import ONE, ZERO, Polynomial
from nasm.nki.migrating.tensor_parts import TensorParts
from nasm.nki.migrating.tile_shapes import (
    Sizes,
    aligned,
    is_tile,
    result_sizes,
    tuple_text,
    two_axes,
)
from nasm.nki.migrating.values import (
    IndexVector,
    OldTensor,
    PendingCall,
    PythonValue,
    Untranslatable,
    Value,
)
from nasm.nki.neuronxcc.elementwise import COMPARING

SAME = {
    *TABLES,
    *("copy", "transpose", "broadcast_to", "matmul", "expand_dims", "where", "rsqrt", "reciprocal"),
    *("negative", "invert", "sin", "cos", "tan", "floor", "ceil", "trunc", "softmax", "dropout"),
    *("device_print", "load_transpose2d", "shared_identity_matrix", "rand", "random_seed"),
}
"""Functions of ``nl`` that are called as they were."""

MADE = ("ndarray", "zeros", "ones", "full", "zeros_like", "empty_like")
ALONG = (*REDUCTIONS, "mean", "var")
GONE = {
    "loop_reduce": "nl.loop_reduce that is not assigned to a name",
    "all_reduce": "nl.all_reduce: today a kernel runs on one core or two",
    "atomic_rmw": "nl.atomic_rmw: nisa.dma_compute adds in HBM",
    "program_id": "nl.program_id: today an instance of a kernel is a core; write the grid as loops",
    "num_programs": "nl.num_programs: today an instance of a kernel is a core",
    "program_ndim": "nl.program_ndim: today an instance of a kernel is a core",
    "mod": "nl.mod: no instruction does it",
    "fmod": "nl.fmod: no instruction does it",
    "gather_flattened": "nl.gather_flattened: its result has another shape today",
    "rms_norm": "nl.rms_norm: it takes other arguments today",
}

METHODS = ("broadcast_to", "expand_dims", "astype")
"""Methods of tensors that are functions of nl today."""

KEEPING = ("copy", "rsqrt", "reciprocal", "negative", "dropout", "softmax")
"""Functions besides those of tables whose result has the shape of their operand."""

ALONG_ROWS = ("axis=1", "axis=[1]", "axis=-1", "axis=(1,)", "1", "[1]", "-1")
"""How the text says that a function works along the second axis."""


class LanguageCalls(TensorParts):
    """Expressions with the functions of ``nl`` in them."""

    def _reshaped(self, node: ast.Call, owner: OldTensor, text: str) -> OldTensor:
        if node.func.attr == "view":  # type: ignore[attr-defined]
            return OldTensor(text, owner.memory, owner.sizes, self.text(node.args[0]), part=True)
        given = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
        sizes = None
        if isinstance(given, ast.Tuple | ast.List):
            sizes = tuple(Polynomial.parsed(self.text(one)) for one in given.elts)
        return OldTensor(text, owner.memory, sizes, owner.dtype, part=owner.part)

    def _method(self, node: ast.Call, owner: OldTensor) -> OldTensor:
        """A method of tensors that is a function of nl today."""
        assert isinstance(node.func, ast.Attribute)
        name, nl = node.func.attr, self.modules["nl"]
        words = [self.text(one) for one in node.args]
        words += [f"{word.arg}={self.text(word.value)}" for word in node.keywords]
        if name == "astype":
            kind = words[0].removeprefix("dtype=")
            return replace(owner, text=f"{nl}.copy({owner.text}, dtype={kind})", dtype=kind)
        if name == "broadcast_to":
            if len(words) > 1:
                words = [f"({', '.join(words)})"]
            made = f"{nl}.broadcast_to({owner.text}, {words[0]})"
            return OldTensor(made, "sbuf", self.sizes_of(words[0]), owner.dtype)
        return OldTensor(
            f"{nl}.{name}({owner.text}, {', '.join(words)})", "sbuf", None, owner.dtype
        )

    def of_language(self, node: ast.Call, name: str) -> Value:
        """What a function of nl gives."""
        if name in GONE:
            raise Untranslatable(node, GONE[name])
        if name == "arange":
            return self._arange(node)
        if name in MADE:
            return self.new_tensor(node, name)
        if name in ("load", "load_transpose2d"):
            given = self.arguments(node, ("src",))
            mask = self.mask(given)
            source = two_axes(self.masked(given.pop("src"), mask))
            dtype = self.text(given["dtype"]) if "dtype" in given else source.dtype
            return self._applied(name, [source], given, source, dtype)
        if name == "store":
            return self._store(node)
        if name == "static_cast":
            given = self.arguments(node, ("input_data", "dtype"))
            tile, kind = (
                self.named(self.masked(given["input_data"], None)),
                self.text(given["dtype"]),
            )
            nl = self.modules["nl"]
            made = f"{nl}.copy({tile.text}, dtype={kind})"
            text = f"({tile.text} if {tile.text}.dtype == {kind} else {made})"
            return OldTensor(text, "sbuf", tile.sizes, kind)
        if name in BINARY:
            given = self.arguments(node, ("x", "y"))
            mask = self.mask(given)
            x, y = (self.operand(given.pop(word), mask) for word in "xy")
            if name == "divide" and not given:
                return self.of_tiles(node, name, x, y)
            if not given or (name in COMPARING and "dtype" not in given):
                return self.of_tiles(node, name, x, y)
            x, y = aligned(x, y)
            like = x if isinstance(x, OldTensor) else y
            assert isinstance(like, OldTensor | PythonValue)
            return self._applied(name, [x, y], given, like, "")
        if name == "shared_constant":
            return self._constant(node)
        if name == "matmul":
            found = self._product(node)
            if found is not None:
                return found
        if name in SAME or name in ALONG:
            return self._same(node, name)
        return PythonValue(self.plain(node))

    def _same(self, node: ast.Call, name: str) -> Value:
        """A function that is called as it was, on what its mask leaves."""
        given = self.arguments(node, ())
        mask = self.mask(given)
        tiles: list[Value] = [self.operand(one, mask) for one in node.args]
        named = {word: self.operand(value, mask) for word, value in given.items()}
        first = next((v for v in (*tiles, *named.values()) if isinstance(v, OldTensor)), None)
        if name in ALONG and first is not None:
            turned = self._turned(node, first, tiles, named)
            if turned is not None:
                return turned
        texts = [self.settled(node, value) for value in tiles]
        texts += [f"{word}={self.settled(node, value)}" for word, value in named.items()]
        text = f"{self.source.of(node.func)}({', '.join(texts)})"
        sizes, full = self._same_sizes(name, first, [*texts, ""])
        memory = "psum" if name == "matmul" else "sbuf"
        dtype = self.text(given["dtype"]) if "dtype" in given else first.dtype if first else ""
        return OldTensor(text, memory, sizes, dtype, full=full)

    def _turned(
        self, node: ast.Call, first: OldTensor, tiles: list[Value], named: dict[str, Value]
    ) -> OldTensor | None:
        """A reduction along other axes than the last ones, which are put last today."""
        given = named.get("axis") or (tiles[1] if len(tiles) > 1 else None)
        try:
            found = ast.literal_eval(given.text) if isinstance(given, PythonValue) else None
        except (ValueError, SyntaxError):
            return None
        if not isinstance(found, list | tuple) or first.sizes is None or "keepdims" in named:
            return None
        rank = len(first.sizes)
        axes = sorted(n % rank for n in found)
        if axes == list(range(rank - len(axes), rank)) or not axes or axes[0] == 0:
            return None
        order = [n for n in range(rank) if n not in axes] + axes
        last = tuple(range(rank - len(axes), rank))
        sizes = tuple(size for n, size in enumerate(first.sizes) if n not in axes)
        more = [f", {w}={self.settled(node, v)}" for w, v in named.items() if w == "dtype"]
        text = f"{self.source.of(node.func)}({first.text}.permute({order}), axis={last}"
        sizes = sizes if len(sizes) > 1 else (*sizes, ONE)
        return OldTensor(f"{text}{''.join(more)})", "sbuf", sizes, first.dtype)

    def _same_sizes(self, name: str, first: OldTensor | None, texts: Sequence[str]) -> Sizes:
        """The sizes of what a function gives, and those without a mask."""
        if first is None:
            return None, None
        if name in TABLES or name in KEEPING:
            return first.sizes, first.full
        if name == "broadcast_to":
            return self.sizes_of(texts[1].removeprefix("shape=")), None
        if name in ALONG and any(text in ALONG_ROWS for text in texts):
            made = [None if s is None else (s[0], ONE) for s in (first.sizes, first.full)]
            if first.sizes is not None and len(first.sizes) == 2:
                return made[0], made[1]
        return None, None

    def _applied(
        self,
        name: str,
        values: Sequence[Value],
        given: dict[str, ast.expr],
        like: OldTensor | PythonValue,
        dtype: str,
    ) -> OldTensor:
        texts = [value.text for value in values if isinstance(value, PythonValue | OldTensor)]
        texts += [f"{word}={self.text(value)}" for word, value in given.items()]
        text = f"{self.modules['nl']}.{name}({', '.join(texts)})"
        if isinstance(like, PythonValue):
            return OldTensor(text, "sbuf", dtype=dtype)
        return OldTensor(text, "sbuf", like.sizes, dtype or like.dtype, full=like.full)

    def _constant(self, node: ast.Call) -> OldTensor:
        """An array that the program brings along: today it has its dtype already."""
        given = self.arguments(node, ("constant", "dtype"))
        constant, nl = given["constant"], self.modules["nl"]
        if "dtype" not in given:
            return OldTensor(f"{nl}.shared_constant({self.text(constant)})", "hbm")
        dtype = self.text(given["dtype"])
        text = self.source.of(constant)
        if not isinstance(constant, ast.Call | ast.Name | ast.Attribute):
            text = f"({text})"
        return OldTensor(f"{nl}.shared_constant({text}.astype({dtype}))", "hbm", None, dtype)

    def _product(self, node: ast.Call) -> Value | None:
        """A product of what is transposed already, which is one instruction."""
        given = self.arguments(node, ("x", "y"))
        turned = given.get("transpose_x")
        if not isinstance(turned, ast.Constant) or turned.value is not True or "mask" in given:
            return None
        x, y = (self.named(self.masked(given[word], None)) for word in "xy")
        sizes = result_sizes("nc_matmul", x, y)
        shape = f"({x.text}.shape[1], {y.text}.shape[1])" if sizes is None else tuple_text(sizes)
        nl = self.modules["nl"]
        result = OldTensor("", "psum", sizes, f"{nl}.float32")
        arguments = (("stationary", x.text), ("moving", y.text))
        return PendingCall(self.modules["nisa"], "nc_matmul", arguments, shape, result)

    def _store(self, node: ast.Call) -> Value:
        given = self.arguments(node, ("dst", "value"))
        mask = self.mask(given)
        dst = self.masked(given["dst"], mask)
        value = self.value(given["value"])
        source = self.masked(given["value"], mask) if is_tile(value) else value
        nl, text = self.modules["nl"], self.settled(node, source)
        if isinstance(source, PythonValue):
            self.remark(f"line {node.lineno}: nl.store of what may be a number")
        if isinstance(source, OldTensor) and source.memory == "psum":
            text = f"{nl}.copy({text})"
        return PythonValue(f"{nl}.store({dst.text}, {text})")

    def _arange(self, node: ast.Call) -> IndexVector:
        texts = [self.text(one) for one in node.args]
        if not 1 <= len(texts) <= 2 or node.keywords:
            raise Untranslatable(node, "nl.arange with a step")
        numbers = [Polynomial.parsed(text) for text in texts]
        low = numbers[0] if len(numbers) > 1 else ZERO
        return IndexVector(low, (numbers[-1] - low,), (ONE,))

    def new_tensor(self, node: ast.Call, name: str) -> OldTensor:
        """A new tensor: of blocks a list."""
        names = {"full": ("shape", "fill_value", "dtype")}.get(name, ("shape", "dtype"))
        if name.endswith("_like"):
            return OldTensor(self.plain(node))
        given = self.arguments(node, names)
        given.pop("lazy_initialization", None)
        blocks, sizes = self._shape(node, given["shape"])
        texts = {word: self.text(value) for word, value in given.items() if word != "shape"}
        memory = texts.get("buffer", "").rpartition(".")[2] or "sbuf"
        memory = "hbm" if "hbm" in memory else memory
        nl, called_as = self.modules["nl"], name
        summed = memory == "psum" and name == "zeros"
        if summed:
            called_as = "ndarray"
            self.count("zeros in PSUM, which the first matmul overwrites, are not written")
        shape = self.text(given["shape"]) if sizes is None else tuple_text(sizes)
        more = "".join(f", {word}={text}" for word, text in texts.items())
        text = f"{nl}.{called_as}({shape}{more})"
        for size in reversed(blocks):
            text = f"[{text} for _ in range({size})]"
        if blocks:
            self.count("blocks of tiles are lists")
        return OldTensor(text, memory, sizes, texts.get("dtype", ""), len(blocks), summed=summed)

    def _shape(
        self, node: ast.Call, shape: ast.expr
    ) -> tuple[tuple[Polynomial, ...], tuple[Polynomial, ...] | None]:
        """The sizes of blocks, and those of a tile where they are in sight."""
        if not isinstance(shape, ast.Tuple | ast.List):
            text = self.text(shape)
            if "par_dim" in text:
                raise Untranslatable(node, "nl.par_dim in a shape that is not in sight")
            return (), None
        sizes, at = [], 0
        for n, one in enumerate(shape.elts):
            if isinstance(one, ast.Call) and (
                self.function_of(one.func) == ("nl", "par_dim")
                or getattr(one.func, "id", "") == "par_dim"
            ):
                at, one = n, one.args[0]
            sizes.append(Polynomial.parsed(self.text(one)))
        return tuple(sizes[:at]), tuple(sizes[at:])
