# needs: torch
"""The wrapper's prefix is taken off the names."""
import torch
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

if __name__ == "__main__":
    state = torch.nn.DataParallel(torch.nn.Linear(2, 2)).state_dict()
    consume_prefix_in_state_dict_if_present(state, "module.")
    print(torch.nn.Linear(2, 2).load_state_dict(state))
