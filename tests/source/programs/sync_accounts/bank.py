from sync import synchronized


@synchronized
class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        with self._sync:
            self.balance += amount


def audit(account):
    account.deposit(1)
    return account.owner, account.balance
