"""More than 4 GiB in one object, with an old protocol."""
import os
import pickle

if __name__ == "__main__":
    blob = bytes((4 << 30) + 1)    # zero pages: no memory is used until they are written
    with open(os.devnull, "wb") as file:
        pickle.dump(blob, file, protocol=3)
