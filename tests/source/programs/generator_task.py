import multiprocessing


def chunks(rows, size):
    for i in range(0, len(rows), size):
        yield rows[i : i + size]


def total(parts):
    return sum(sum(p) for p in parts)


def main():
    rows = list(range(10))
    stream = chunks(rows, 3)  # object
    with multiprocessing.Pool(1) as pool:
        print(pool.apply(total, (stream,)))


if __name__ == "__main__":
    main()
