def produce(broker, done):
    for n in range(3):
        broker.publish(n)
    if list(broker.drain()) == [0, 1, 2]:
        done.set()
