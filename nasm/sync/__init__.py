"""Programs in sequential order: what they mean, where their tensors go, who waits for whom."""
