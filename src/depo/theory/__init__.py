"""What the paper proves, as exact numbers."""
