"""What off-policy methods, on vectors, are built from."""
