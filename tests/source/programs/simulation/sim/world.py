import multiprocessing
import threading

from .agent import Agent, Hunter


def advance(agent):
    for t in range(3):
        agent.step(t)
    return agent.energy


class World:
    def __init__(self, size):
        self.size = size
        self.agents = []
        self.lock = threading.Lock()

    def populate(self):
        for i in range(self.size):
            cls = Hunter if i % 2 else Agent
            self.agents.append(cls("agent-%d" % i))

    def run(self):
        with multiprocessing.Pool(2) as pool:
            energies = pool.map(advance, self.agents)
        return energies
