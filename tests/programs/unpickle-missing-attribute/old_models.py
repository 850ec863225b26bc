"""Where the class was when the pickle was written."""
