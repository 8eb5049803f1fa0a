"""What is changed by hand and typed, as records that can be applied again."""
