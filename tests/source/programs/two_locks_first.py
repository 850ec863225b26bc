import multiprocessing
import threading


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.read_lock = threading.Lock()  # object
        self.write_lock = threading.Lock()
        self.balance = 0


def audit(account):
    return account.balance


if __name__ == "__main__":
    accounts = {n: Account(n) for n in ("a", "b")}
    with multiprocessing.Pool(2) as pool:
        print(pool.map(audit, list(accounts.values())))
