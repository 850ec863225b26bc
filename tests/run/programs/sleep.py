"""Sleeps until somebody ends it."""
import time

print("sleeping", flush=True)
time.sleep(60)
