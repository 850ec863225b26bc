# needs: torch
"""Weights saved from a wrapped model, loaded into a plain one."""
import torch

if __name__ == "__main__":
    state = torch.nn.DataParallel(torch.nn.Linear(2, 2)).state_dict()
    print(torch.nn.Linear(2, 2).load_state_dict(state))
