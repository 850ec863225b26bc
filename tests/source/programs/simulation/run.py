from sim import World


def main():
    world = World(4)
    world.populate()
    energies = world.run()
    assert energies == [7, 16, 7, 16], energies


if __name__ == "__main__":
    main()
