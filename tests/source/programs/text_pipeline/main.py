from multiprocessing import Pool

from pipeline import Pipeline


def main():
    pipeline = Pipeline(offsets=[1, 10, 100])
    with Pool(2) as pool:
        print(pool.map(pipeline.run, [0, 1]))
        assert pool.map(pipeline.run, [0, 1]) == [111, 112]


if __name__ == "__main__":
    main()
