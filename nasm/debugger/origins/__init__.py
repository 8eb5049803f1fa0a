"""Where values come from: who wrote them last, and of what they were made."""
