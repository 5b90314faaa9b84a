"""Real weights on this machine: one GGUF file, quantized variants of it, and llama.cpp to serve them."""
