"""The class was moved to another module after the pickle was written."""
import pickle

DATA = b"\x80\x02cold_models\nConfig\n)\x81}X\x04\x00\x00\x00rateG?\xb9\x99\x99\x99\x99\x99\x9asb."

if __name__ == "__main__":
    print(pickle.loads(DATA).rate)
