"""AWS's own tests of its kernels, run here without a change.

    python -m nasm.nki.library_tests CHECKOUT [arguments of pytest]

CHECKOUT is one of nki-library. Its integration tests end in a call of ``test_manager.execute``:
here that runs the kernel on the simulated machine and compares what it returns with the test's own
reference, as the library's tests do. Substitutes replace what these need of AWS's that is not
public. PyTorch must be installed, and pytest.
"""
