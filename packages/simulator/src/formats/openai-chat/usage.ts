// Usage as OpenAI's chat and completions report it.

import type { BilledUsage } from '../../bill';
import type { JsonObject } from '../../json';
import { inputOf, outputOf } from '../../usage';

export function chatUsage(usage: BilledUsage, searches = 0): JsonObject {
  const prompt = inputOf(usage);
  const output = outputOf(usage);
  const written = usage.cacheWrite + usage.cacheWrite1h;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      audio_tokens: usage.audioInput,
      // As OpenRouter, xAI and DashScope do; OpenAI does not.
      ...(usage.imageInput > 0 ? { image_tokens: usage.imageInput } : {}),
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 ? { image_tokens: usage.imageOutput } : {}),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
  };
}
