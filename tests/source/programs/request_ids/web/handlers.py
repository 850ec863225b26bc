from .base import Handler


class UserHandler(Handler):
    greeting = "hello"

    def handle(self, request):
        self.count += 1
        return "%s %s" % (self.greeting, request)
