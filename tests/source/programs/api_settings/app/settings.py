class Settings:
    url = None

    @classmethod
    def configure(cls, url, version):
        cls.url = url
        cls.base = f"{url}/{version}"  # object
