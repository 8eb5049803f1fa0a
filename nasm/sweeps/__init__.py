"""Many runs at once: of a program with every choice of some values, over any executor."""
