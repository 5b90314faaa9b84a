"""The one exception by which a provider says that a request was given up: no response, and so no score."""


class RequestFailed(Exception):
    """A request without a response. Our provider raises nothing else for the faults of an endpoint.

    ``message`` is what Inspect writes into the log: the kind of failure, a colon and the words for people.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
