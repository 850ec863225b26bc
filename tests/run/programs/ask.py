"""Asks twice."""
first = input("first: ")
second = input("second: ")
print(first, "and", second)
