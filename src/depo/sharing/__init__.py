"""Models to and from other places, checked on the way in."""
