class Settings:
    fmt = "csv"
