"""Programs in sequential order: what they mean, where tensors go, what waits for what."""
