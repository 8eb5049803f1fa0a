"""Order, judged by its definition: a walk through everything that can happen, in any order.

Nothing here uses what computes order in ``nasm/order``, but for the records of its skeletons.
"""
