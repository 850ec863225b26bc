"""A restricted unpickler meets a harmless class that is not on its list."""
import builtins
import collections
import io
import pickle

ALLOWED = {("builtins", "range"), ("builtins", "set")}


class RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in ALLOWED:
            return getattr(builtins, name)
        raise pickle.UnpicklingError("global '%s.%s' is forbidden" % (module, name))


if __name__ == "__main__":
    data = pickle.dumps(collections.OrderedDict(epoch=1))
    print(RestrictedUnpickler(io.BytesIO(data)).load())
