from multiprocessing import Pool

from bus import Bus


def build_bus():
    bus = Bus()

    @bus.on("saved")
    def notify(payload):  # object
        return "saved " + payload

    return bus


def emit(bus, payload):
    return bus.emit("saved", payload)


if __name__ == "__main__":
    bus = build_bus()
    with Pool(1) as pool:
        assert pool.starmap(emit, [(bus, "x")]) == [["saved x"]]
