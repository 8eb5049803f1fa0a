"""A depthwise convolution in many small products, on Trainium1."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text

PRODUCTS = Kernel(
    name="depthwise conv1d, products",
    source="charleshong3.github.io/blog/autocomp_trainium_conv1d.html: 65,536 tensor_tensor in "
    "3.84 ms, for 8 images of 512 channels and 2,048 positions, filters of 3",
    choices=(
        "Only the products are here: of the rest of the kernel no time is given apart from its "
        "total. They do not depend on each other, and follow each other without a wait.",
    ),
    program=text("depthwise.nasm"),
    target="trn1",
    full={"COUNT": 512},
)

ROWS = (
    Row(name="#29", figure="each product", published=3840 / 65.536, use=Use.JUDGES,
        bound=Bound.ENGINE, kernel=PRODUCTS, unit="ns",
        measure=lambda run: run.spacing("vector", "TensorTensor") * 1000),
)  # fmt: skip
