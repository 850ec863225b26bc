from concurrent.futures import ProcessPoolExecutor

from bank import Account, audit


def main():
    accounts = [Account("ann", 10), Account("bob", 5)]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(audit, accounts))
    assert results == [("ann", 11), ("bob", 6)], results


if __name__ == "__main__":
    main()
