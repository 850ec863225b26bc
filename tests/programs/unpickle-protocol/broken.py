"""A protocol is asked for that no Python has yet."""
import io
import pickle

if __name__ == "__main__":
    file = io.BytesIO()
    pickle.dump([1, 2, 3], file, protocol=pickle.HIGHEST_PROTOCOL + 1)
    print(len(file.getvalue()))
