"""The grid world: its map, its tables, its Gymnasium environments, its exact scores."""
