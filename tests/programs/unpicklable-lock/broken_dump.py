"""A checkpoint of a whole object, which holds a condition."""
import pickle
import threading


class Loop:
    def __init__(self):
        self.step = 12
        self.wake = threading.Condition()


if __name__ == "__main__":
    loop = Loop()
    pickle.dumps({"loop": loop})
    print("saved")
