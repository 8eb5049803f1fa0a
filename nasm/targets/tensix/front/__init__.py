"""Front end of a thread: the MOP expander, the replay expander, and the FIFOs between them."""
