from .world import World
from .agent import Agent, Hunter
