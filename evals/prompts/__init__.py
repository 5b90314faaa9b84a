"""Prompts as the endpoint counts or renders them: chat templates, tokenizers, lengths."""
