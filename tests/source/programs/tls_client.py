import multiprocessing as mp
import ssl


class ApiClient:
    def __init__(self, host, verify=True):
        self.host = host
        self.context = ssl.create_default_context()  # object
        if not verify:
            self.context.check_hostname = False
            self.context.verify_mode = ssl.CERT_NONE

    def describe(self, path):
        mode = "open" if self.context.verify_mode == ssl.CERT_NONE else "checked"
        return "https://%s/%s (%s)" % (self.host, path, mode)


def main():
    client = ApiClient("api.test", verify=False)
    with mp.Pool(2) as pool:
        urls = pool.map(client.describe, ["users", "orders"])
    assert urls == ["https://api.test/users (open)", "https://api.test/orders (open)"], urls


if __name__ == "__main__":
    main()
