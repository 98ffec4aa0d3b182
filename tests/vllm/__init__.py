"""Against a real vLLM server, started once on this machine's CPU; run alone by `make test-vllm`."""
