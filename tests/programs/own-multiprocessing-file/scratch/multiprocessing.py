"""A first try at multiprocessing."""
