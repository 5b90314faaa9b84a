"""The one exception by which a provider says that a request was given up: no response, and so no score."""


class RequestFailed(Exception):
    """A request without a response. Providers of ours raise nothing else for the faults of an endpoint."""
