"""Copies, fills and DMA."""

from __future__ import annotations

from tests.neuron.broken.case import Broken


def cases() -> list[Broken]:
    dma, made = "DmaCopy", "hwdge is Sync's and Scalar's"
    number, trigger = "the value is of dst's class", ".dma t\n  {}\n.end\n@sync DmaTrigger t"
    dtypes = "each line of the transfer is of"
    return [
        Broken("TensorCopy", "dst and src have", "E0404", "src 32", "@vector TensorCopy c, thin"),
        Broken("Memset", number, "E0405", "wanted an integer", "@vector Memset i, 1.5"),
        Broken("Memset", number, "E0405", "wanted -32768 to 32767", "@vector Memset j, 40000"),
        Broken("Memset", number, "E0405", "wanted 0", "@vector Memset w, 1", "trn3"),
        Broken("Memset", number, "E0405", "a power of two", "@vector Memset scale, 3", "trn3"),
        Broken(dma, "dst and src have as many", "E0404", "dst has 4096 elements, src 8192",
               "@sync DmaCopy half, A"),
        Broken(dma, made, "E0408", "dge_mode=hwdge on v2",
               "@sync DmaCopy a, A, dge_mode=hwdge", "trn1"),
        Broken(dma, made, "E0408", "dge_mode=hwdge on vector",
               "@vector DmaCopy a, A, dge_mode=hwdge"),
        Broken(dma, made, "E0408", "dge_mode=swdge on sync", "@sync DmaCopy a, A, dge_mode=swdge"),
        Broken(dma, "a DMA converts through", "E0405", "with dge_mode=hwdge", "@sync DmaCopy a, H"),
        Broken(dma, "a DMA converts through", "E0405", "moved as they are",
               "@gpsimd DmaCopy A, w", "trn3"),
        Broken(dma, "a start held in a register", "E0407", "src starts at a register",
               "@vector DmaCopy low, A[%r1 : +32]"),
        Broken(dma, "a DMA writes every element", "E0404", "more than once",
               "@vector DmaCopy col.broadcast(128, 64), A"),
        Broken(dma, "a DMA does not write PSUM", "E0406", "dst is in psum", "@sync DmaCopy p, A"),
        Broken("DmaTrigger", "each line of the transfer has", "E0404", "half has 4096",
               trigger.format("half <- A")),
        Broken("DmaTrigger", "each line of the transfer has", "E0404", "p is in psum",
               trigger.format("p <- A")),
        Broken("DmaTrigger", dtypes, "E0405", "moved as they are",
               trigger.format("a <- w"), "trn3"),
        Broken("DmaTrigger", dtypes, "E0405", "moved as they are",
               trigger.format("scale <- f"), "trn3"),
        Broken("DmaTrigger", dtypes, "E0405", "does not have", trigger.format("fn <- fn")),
        Broken("DmaTrigger", "a prepared transfer starts", "E0407", "A starts at a register",
               trigger.format("low <- A[%r1 : +32]")),
    ]  # fmt: skip
