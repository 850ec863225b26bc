"""Stops in the debugger."""
x = 41
import pdb

pdb.set_trace()
print("x is", x)
