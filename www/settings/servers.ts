// Generated from src/llm/provider.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.

/** The public or local server of each provider that has one, by the prefix of its models. */
export const servers = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  openhands: "https://llm-proxy.app.all-hands.dev/v1",
  ollama: "http://localhost:11434/v1",
  ollama_chat: "http://localhost:11434/v1",
  lm_studio: "http://localhost:1234/v1",
  deepseek: "https://api.deepseek.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta/openai",
  groq: "https://api.groq.com/openai/v1",
  mistral: "https://api.mistral.ai/v1",
  xai: "https://api.x.ai/v1",
  together_ai: "https://api.together.xyz/v1",
  fireworks_ai: "https://api.fireworks.ai/inference/v1",
  moonshot: "https://api.moonshot.ai/v1",
} as const;
