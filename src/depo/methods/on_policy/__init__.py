"""What on-policy methods, on finite states, are built from."""
