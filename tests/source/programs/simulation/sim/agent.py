from sim.component import Component


class Agent(Component):
    def __init__(self, name, energy=10):
        super(Agent, self).__init__(name)
        self.energy = energy

    def step(self, t):
        self.energy -= 1
        self.notify()
        return self.energy


class Hunter(Agent):
    def step(self, t):
        super().step(t)
        self.energy += 3
        return self.energy
