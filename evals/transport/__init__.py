"""How a request is sent and its reply read: the wire, retries, failures."""
