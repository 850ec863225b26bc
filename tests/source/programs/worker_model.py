import multiprocessing as mp

MODEL = None


def load():
    global MODEL
    MODEL = {"slope": 3, "offset": 1}  # object


def predict(x):
    return MODEL["slope"] * x + MODEL["offset"]


def main():
    load()
    assert predict(0) == 1
    with mp.Pool(2) as pool:
        assert pool.map(predict, range(4)) == [1, 4, 7, 10]


if __name__ == "__main__":
    mp.set_start_method("spawn")
    main()
