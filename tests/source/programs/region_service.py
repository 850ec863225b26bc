import multiprocessing

_client = None


class Client:
    def __init__(self, region):
        self.region = region

    def call(self, number):
        return f"{self.region}-{number}"


def call(number):
    return _client.call(number)


class Service:
    def __init__(self, region):
        self.region = region

    def start(self):
        global _client
        _client = Client(self.region)  # object

    def run(self, numbers):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            return pool.map(call, numbers)


if __name__ == "__main__":
    service = Service("eu")
    service.start()
    assert service.run([1, 2, 3]) == ["eu-1", "eu-2", "eu-3"]
