"""What runs in a worker, and how its failure travels."""
