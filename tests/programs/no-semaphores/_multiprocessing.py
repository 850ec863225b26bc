"""Stands for the module of a Python that was built where semaphores did not work: it has none."""
