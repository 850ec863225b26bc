import enum
import multiprocessing as mp


def make_states(names):
    return enum.Enum("State", names)  # object


States = make_states(["NEW", "PAID", "SENT"])


class Order:
    def __init__(self, number, state):
        self.number = number
        self.state = state


def advance(order):
    members = list(States)
    order.state = members[members.index(order.state) + 1]
    return order


def main():
    orders = [Order(1, States.NEW), Order(2, States.PAID)]
    with mp.Pool(2) as pool:
        orders = pool.map(advance, orders)
    assert [o.state.name for o in orders] == ["PAID", "SENT"]


if __name__ == "__main__":
    main()
