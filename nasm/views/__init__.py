"""Views of tensors: memories, tensors, what a view selects, its methods, a view as text."""

from nasm.views import methods as methods  # the methods that every view has
