"""The list is extended by the one name that is missing."""
import collections
import io
import pickle

ALLOWED = {("builtins", "range"), ("builtins", "set")}
ALLOWED |= {("collections", "OrderedDict")}


class RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in ALLOWED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError("global '%s.%s' is forbidden" % (module, name))


if __name__ == "__main__":
    data = pickle.dumps(collections.OrderedDict(epoch=1))
    print(RestrictedUnpickler(io.BytesIO(data)).load())
