"""A configuration with a lambda in it is saved."""
import pickle


class Config:
    rate = 0.1
    schedule = lambda step: 0.9 ** step  # noqa: E731


if __name__ == "__main__":
    pickle.dumps({"rate": Config.rate, "schedule": Config.schedule})
    print("saved")
