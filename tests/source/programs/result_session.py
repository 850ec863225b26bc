import threading
from multiprocessing import Pool


class Session:
    def __init__(self, user):
        self.user = user
        self.active = True
        self.lock = threading.Lock()  # object


def login(user):
    session = Session(user)
    with session.lock:
        session.token = hash(user) % 7 >= 0
    return session


if __name__ == "__main__":
    with Pool(2) as p:
        sessions = p.map(login, ["ann", "bob"])
    assert [s.user for s in sessions] == ["ann", "bob"]
