"""What LiteLLM's metadata and the SDK make of a model's name: the rows of js/llm/models/, and the answers they are held to."""

from __future__ import annotations

import litellm
from litellm import ModelResponse
from litellm.litellm_core_utils.llm_cost_calc import utils as costs
from litellm.types.utils import Usage
from openhands.sdk.llm.utils.litellm_provider import LLMProvider
from openhands.sdk.llm.utils.metrics import Metrics
from openhands.sdk.llm.utils.model_features import get_features
from openhands.sdk.llm.utils.model_info import get_litellm_model_info
from openhands.sdk.llm.utils.openhands_provider import litellm_call_kwargs
from openhands.sdk.llm.utils.telemetry import Telemetry

# What a request or a decision can depend on. An absent one is not known.
FLAGS = [
    "supports_vision", "supports_function_calling", "supports_prompt_caching", "supports_reasoning", "supports_sampling_params",
    "supports_adaptive_thinking", "supports_legacy_thinking", "thinking_always_on", "supports_none_reasoning_effort",
    "supports_minimal_reasoning_effort", "supports_xhigh_reasoning_effort", "supports_max_reasoning_effort",
    "supports_output_config", "supports_mid_conversation_system", "supports_pdf_input", "supports_audio_input",
]  # fmt: skip
DOUBTFUL_OUTPUT_CAP = 16_384
RATES = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost", "cache_creation_input_token_cost")


def row_of(info: dict, reasoning_effort: bool | None) -> dict:
    """The abilities and limits of one entry, without prices."""
    row = {}
    window = whole(info, "max_input_tokens")
    if window:
        row["max_input_tokens"] = window
    limit = output_limit(info, window)
    if limit:
        row["max_output_tokens"] = limit
    for name in FLAGS:
        if isinstance(info.get(name), bool):
            row[name] = info[name]
    if reasoning_effort is not None:
        row["reasoning_effort"] = reasoning_effort
    endpoints = info.get("supported_endpoints")
    if isinstance(endpoints, (list, tuple)):
        row["supports_responses_api"] = "/v1/responses" in endpoints
    return row


def output_limit(info: dict, window: int | None) -> int | None:
    """As the SDK resolves it before it looks at the server."""
    limit, either = whole(info, "max_output_tokens"), whole(info, "max_tokens")
    if limit is None:
        # The SDK takes this for an answer's limit or for the window, whichever it is, and asks for no more than this.
        return min(either, DOUBTFUL_OUTPUT_CAP) if either else None
    # An answer as long as the window would leave no room for the question.
    return limit // 2 if (window or either) is not None and limit >= (window or either) else limit


def whole(info: dict, name: str) -> int | None:
    value = info.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def prices_of(name: str, provider: str) -> list[dict]:
    """Prices of a token, from a number of prompt tokens above which they hold; the last that hold are meant. `reasoning`
    is there where reasoning is billed apart."""
    info = costs.apply_provider_cache_read_default(litellm.get_model_info(model=name, custom_llm_provider=provider), provider)
    inclusive = costs._uses_inclusive_token_thresholds(provider)
    begins = {0.0}
    for key, value in info.items():
        is_standard = any(key.startswith(f"{rate}_above_") for rate in RATES) and key.endswith("_tokens")
        if is_standard and value is not None:
            begins.add(costs._parse_above_token_threshold(key))
    steps = []
    for begin in sorted(begins):
        usage = Usage(prompt_tokens=int(begin) + 1, completion_tokens=1, total_tokens=int(begin) + 2)
        read, written, to_cache, to_cache_1h, from_cache = costs._get_token_base_cost(info, usage, None, threshold_is_inclusive=inclusive)
        step = {"input": read, "output": written, "cache_read": from_cache, "cache_write": to_cache}
        if to_cache_1h is not None:
            step["cache_write_1h"] = to_cache_1h
        if provider != "xai":  # which bills reasoning as what it writes
            step["reasoning"] = costs._resolve_reasoning_token_cost(info, None, written)
        above = int(begin) - (1 if inclusive and begin else 0)
        steps.append({"above": above, **{kind: plain(rate) for kind, rate in step.items()}})
    return steps if any(step["input"] or step["output"] for step in steps) else []


def plain(rate: float | None) -> float | int:
    return rate or 0


def reasoning_effort(model: str, info: dict | None, name: str, provider: str) -> bool | None:
    """Whether the provider is told how hard to think: the SDK has to want it and LiteLLM to let it through."""
    if provider in ("deepseek", "ollama"):
        # LiteLLM tells them in other words than this protocol's.
        return None
    passed = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or []
    return get_features(model, info).supports_reasoning_effort and "reasoning_effort" in passed


def cost(model: str, usage: Usage) -> float | None:
    """What the SDK counts for an answer of this model."""
    kwargs = litellm_call_kwargs(model, None)
    provider = LLMProvider.from_model(model=kwargs["model"], api_base=kwargs["api_base"])
    telemetry = Telemetry(model_name=model, metrics=Metrics(model_name=model))
    return telemetry._compute_cost(ModelResponse(id="x", model=provider.model, choices=[], usage=usage), provider)


def info_of(model: str) -> dict | None:
    return get_litellm_model_info(None, None, model)
