"""Where engines put the reasoning of a reply: vLLM's name for it, and the one that others use."""

REASONING_FIELDS = ("reasoning", "reasoning_content")
