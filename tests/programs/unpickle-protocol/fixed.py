"""The writer names a protocol that every reader knows."""
import io
import pickle

if __name__ == "__main__":
    file = io.BytesIO()
    pickle.dump([1, 2, 3], file, protocol=4)
    print(len(file.getvalue()))
