from multiprocessing import Manager


class Board:
    def __init__(self):
        self.manager = Manager()  # object
        self.cells = self.manager.dict()
