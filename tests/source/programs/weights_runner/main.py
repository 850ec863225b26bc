from runner import Runner

if __name__ == "__main__":
    assert Runner([1, 2, 3]).run() == [2, 4, 6]
