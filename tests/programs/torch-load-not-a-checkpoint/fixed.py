# needs: torch
"""What torch.load reads was written by torch.save."""
import io

import torch

if __name__ == "__main__":
    file = io.BytesIO()
    torch.save({"epoch": 3}, file)
    file.seek(0)
    print(torch.load(file))
