# needs: accelerate
"""The Accelerator is made inside the function."""
from accelerate import Accelerator, notebook_launcher


def train():
    print(Accelerator(cpu=True).num_processes)


if __name__ == "__main__":
    notebook_launcher(train, num_processes=1)
