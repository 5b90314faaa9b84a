"""An OpenAI-compatible endpoint on 127.0.0.1 that plays a checkpoint whose true accuracy is known."""
