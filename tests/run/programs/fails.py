"""Fails in a way that pickfix knows."""
import pickle
import threading

pickle.dumps(threading.Lock())
