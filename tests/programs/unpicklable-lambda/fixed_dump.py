"""Values are saved, and the function has a name."""
import pickle


def schedule(step):
    return 0.9 ** step


if __name__ == "__main__":
    pickle.dumps({"rate": 0.1, "schedule": schedule})
    print("saved")
