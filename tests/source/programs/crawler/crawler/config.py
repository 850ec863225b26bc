from dataclasses import dataclass, field


@dataclass
class CrawlConfig:
    depth: int = 1
    headers: dict = field(default_factory=dict)
    hosts: list = field(default_factory=list)


def load_config(**overrides):
    config = CrawlConfig()
    for name, value in overrides.items():
        setattr(config, name, value)
    return config
