def train_fold(config):
    return config.schedule(config.fold)
