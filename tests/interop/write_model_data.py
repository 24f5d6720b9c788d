"""Writes what is known of models, from LiteLLM's public metadata as the SDK's LiteLLM has it, into js/llm/models/.

    write_model_data.py

One file per provider, a row per model under LiteLLM's key, and families.json with LiteLLM's rules for names that have
no row. Also tests/fixtures/model_features.json: for many names what the SDK makes of them, which the rows are held to.
Everything comes from the package; nothing is fetched.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import warnings
from collections import defaultdict
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL", HF_HUB_OFFLINE="1")
warnings.simplefilter("ignore")

import litellm  # noqa: E402 - the environment above has to come first
from litellm.litellm_core_utils.fallback_generalizations import get_fallback_generalization_rules  # noqa: E402
from litellm.types.utils import CompletionTokensDetailsWrapper, PromptTokensDetailsWrapper, Usage  # noqa: E402
from openhands.sdk import LLM  # noqa: E402
from openhands.sdk.llm.utils.model_features import get_features  # noqa: E402

from model_rows import FLAGS, cost, info_of, plain, prices_of, reasoning_effort, row_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "js" / "llm" / "models"
PROVIDERS = "openai anthropic azure deepseek fireworks_ai gemini groq mistral moonshot ollama together_ai xai".split()
ANSWERING = ("chat", "responses", "completion")

# Names without a row of their own: aliases, variants, dates that nobody knows, other providers' models.
OTHERS = """
gpt-4o OpenAI/GPT-4o openai/gpt-4o-2099-01-01 openai/gpt-5-mini-2099-08-07 openai/gpt-5:x openai/gpt-7 openai/o9 openai/my-model my-alias
openai/claude-sonnet-4-5-20250929 openai/claude-opus-4-7 openai/claude-sonnet-4-5-special openai/claude-3-7-sonnet-latest
openai/gemini-2.5-pro openai/deepseek-chat openai/DeepSeek-V3.2 openai/Qwen/Qwen3-32B openai/glm-4.6 openai/o3-next openai/kimi-k2-thinking
anthropic/claude-sonnet-4-5 claude-opus-4-8 anthropic/claude-newfamily-5 anthropic/claude-sonnet-4-6-20990101 anthropic/unheard-of
openrouter/anthropic/claude-sonnet-4.5 openrouter/anthropic/claude-opus-4.8 openrouter/openai/gpt-4o openrouter/openai/gpt-5.5
openrouter/minimax/minimax-m2 openrouter/google/gemini-2.5-pro openrouter/x-ai/grok-4 openrouter/deepseek/deepseek-chat openrouter/qwen/qwen3:free
litellm_proxy/claude-sonnet-4-5-20250929 litellm_proxy/gpt-4o litellm_proxy/gemini/gemini-2.5-pro litellm_proxy/anthropic/claude-haiku-4-5
litellm_proxy/some-alias litellm_proxy/deepseek/deepseek-chat litellm_proxy/gpt-5.4 openhands/claude-sonnet-4-5-20250929 openhands/gpt-5.2
hosted_vllm/qwen3 hosted_vllm/gpt-4o lm_studio/qwen lm_studio/gpt-4o ollama/llama3:8b ollama/qwen3 azure/gpt-4o azure/my-deployment
gemini/gemini-2.5-flash gemini/gemini-9-pro gemini/unheard-of groq/unheard-of mistral/mistral-large-latest xai/grok-4-latest xai/grok-code-fast-1
deepseek/deepseek-v4-pro moonshot/kimi-k2.6 together_ai/moonshotai/Kimi-K2-Instruct fireworks_ai/accounts/fireworks/models/kimi-k2p5
""".split()

FACTS = {"max_input_tokens", "max_output_tokens", *FLAGS}
USAGES = [
    {"prompt": 1000, "completion": 200},
    {"prompt": 100_001, "completion": 4321, "read": 90_003, "reasoning": 1234},
    {"prompt": 130_007, "completion": 17, "read": 4096, "write": 2048},
    {"prompt": 200_000, "completion": 333},
    {"prompt": 280_000, "completion": 10_007, "read": 250_001, "write": 7, "reasoning": 10_000},
]


def main() -> None:
    head = {
        "source": f"model_prices_and_context_window.json of LiteLLM {importlib.metadata.version('litellm')} (MIT)",
        "date": datetime.date.today().isoformat(),
    }
    for entry in litellm.model_cost.values():
        entry.pop("off_peak_pricing", None)  # what an answer costs here does not depend on the hour
    rows = defaultdict(dict)
    names = []
    for key, entry in litellm.model_cost.items():
        provider = entry.get("litellm_provider")
        if entry.get("mode") not in ANSWERING:
            continue
        if key.startswith("gemini-"):
            # Known without a prefix only: what other providers' names for these models fall back on.
            rows["vertex_ai"][key] = priceless(key, key, "vertex_ai")
        elif provider in PROVIDERS and not key.startswith("together-ai-"):
            model = key if key.startswith(f"{provider}/") else f"{provider}/{key}"
            if info_of(model) is None and ":" not in model:
                continue  # LiteLLM takes the name for another one
            name = model.removeprefix(f"{provider}/")
            rows[provider][key] = priceless(key, name, provider)
            prices = prices_of(name, provider)
            if prices:
                rows[provider][key]["prices"] = prices
            names.append(model)
    for provider, models in rows.items():
        write(DATA / f"{provider}.json", head, "models", models)
    write(DATA / "families.json", head, "families", families())
    asked = [json.loads(file.read_bytes())["llm"] for file in sorted((ROOT / "tests/fixtures").glob("*_requests/*.json"))]
    others = [*OTHERS, *(llm["model"] for llm in asked)]
    own = {**dict.fromkeys(names), **{name: row_behind(name, rows) for name in others if name not in names}}
    answers = {name: answer(name) | ({} if name in names else {"row": row}) for name, row in own.items()}
    write(ROOT / "tests" / "fixtures" / "model_features.json", {**head, "usages": USAGES}, "models", answers)


def priceless(model: str, name: str, provider: str) -> dict:
    info = info_of(model) or litellm.model_cost[model]
    if get_features(model, info).supports_vision:
        info = {**info, "supports_vision": True}
    return row_of(info, reasoning_effort(model, info, name, provider))


def row_behind(name: str, rows: dict[str, dict]) -> dict | None:
    """The row that a name without one of its own comes to."""
    info = info_of(name)
    if info is None:
        return None
    known = {key.lower(): row for models in rows.values() for key, row in models.items()}
    row = known.get(str(info.get("key")).lower())
    if row is None and any(cost(name, usage(counts)) for counts in USAGES):
        row = known.get(name.rsplit("/", 1)[-1])  # the SDK guesses its abilities, and yet knows its price
    if row is None:
        return {fact: value for fact, value in info.items() if fact in FACTS and value is not None} or None
    has_prices = any(cost(name, usage(counts)) for counts in USAGES)
    return row if has_prices else {fact: value for fact, value in row.items() if fact != "prices"}


def families() -> list[dict]:
    """LiteLLM's rules, as far as they say something about the models of these providers."""
    rules = []
    for rule in get_fallback_generalization_rules():
        facts = {name: value for name, value in rule["model_info"].items() if name in FACTS}
        if facts and not rule["name"].startswith("wandb"):
            rules.append({"pattern": rule["pattern"], "row": facts})
    return rules


def answer(name: str) -> dict:
    info = info_of(name)
    features = get_features(name, info)
    try:
        llm = LLM(model=name, usage_id="x")
        limits = [llm.effective_max_input_tokens, llm.effective_max_output_tokens]
    except Exception:  # noqa: BLE001 - a window that is too small to be an agent's
        limits = None
    return {
        "limits": limits,
        "supports_vision": features.supports_vision,
        "thinking_mode": features.thinking_mode,
        "supports_sampling_params": features.supports_sampling_params,
        "supports_prompt_cache": features.supports_prompt_cache,
        "supports_responses_api": features.supports_responses_api,
        "send_reasoning_content": features.send_reasoning_content,
        "force_string_serializer": features.force_string_serializer,
        "costs": [plain(cost(name, usage(counts))) for counts in USAGES],
    }


def usage(counts: dict) -> Usage:
    read, write_, reasoning = (counts.get(name, 0) for name in ("read", "write", "reasoning"))
    details = PromptTokensDetailsWrapper(cached_tokens=read, cache_creation_tokens=write_) if read or write_ else None
    return Usage(
        prompt_tokens=counts["prompt"],
        completion_tokens=counts["completion"],
        total_tokens=counts["prompt"] + counts["completion"],
        prompt_tokens_details=details,
        completion_tokens_details=CompletionTokensDetailsWrapper(reasoning_tokens=reasoning) if reasoning else None,
    )


def write(file: Path, head: dict, name: str, rows: dict | list) -> None:
    """A row a line, so that a difference can be read."""
    dumped = lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False)  # noqa: E731
    lines = [f"{dumped(key)}:{dumped(rows[key])}" for key in sorted(rows)] if isinstance(rows, dict) else [dumped(row) for row in rows]
    brackets = "{}" if isinstance(rows, dict) else "[]"
    body = ",\n".join(lines)
    opening = "".join(f"{dumped(key)}:{dumped(value)},\n" for key, value in head.items())
    file.write_text(f"{{{opening}{dumped(name)}:{brackets[0]}\n{body}\n{brackets[1]}}}\n", encoding="utf-8")
    print(f"{file.relative_to(ROOT)}: {len(rows)}")


if __name__ == "__main__":
    main()
