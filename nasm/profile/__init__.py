"""What the history of a run says: where its time went, and what would change that."""
