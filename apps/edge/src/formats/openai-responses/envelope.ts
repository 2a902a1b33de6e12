// The response object around the output. It repeats the request's settings, with defaults for
// absent ones.

import type { TokenUsage } from '@tollgate/contracts';

import type { ReplyContext } from '../format';
import { arrayOf, isObject, objectOf, present, textOf } from '../json';
import type { JsonObject } from '../normalised';
import type { Status } from './status';
import { encodeUsage } from './usage';

/** The facts of an answer at its start. */
export interface Beginning {
  id: string;
  model: string;
  createdAtS?: number;
  serviceTier?: string;
}

export interface Progress {
  status: Status | 'in_progress';
  output: JsonObject[];
  incomplete_details?: object | null;
  error?: JsonObject;
  tokens?: TokenUsage | undefined;
}

/** Encodes the object at any point of an answer. */
export type Envelope = (progress: Progress) => JsonObject;

export function createEnvelope(beginning: Beginning, context: ReplyContext): Envelope {
  const { createdAtS = context.createdAtS } = beginning;
  const head = {
    id: beginning.id || `resp_${context.requestId.replaceAll('-', '')}`,
    object: 'response',
    created_at: createdAtS,
  };
  const asked = echo(context.request?.raw ?? {});
  const service_tier = tierOf(beginning.serviceTier);
  return ({ status, output, incomplete_details = null, error = null, tokens }) => ({
    ...head,
    status,
    error,
    incomplete_details,
    model: context.model,
    output,
    ...asked,
    service_tier,
    ...(tokens === undefined ? {} : { usage: encodeUsage(tokens) }),
  });
}

const TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  standard: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  fast: 'fast',
  ultrafast: 'ultrafast',
};

function tierOf(tier: string | undefined): string | null {
  return tier !== undefined && Object.hasOwn(TIERS, tier) ? (TIERS[tier] ?? null) : null;
}

/** A translated answer never uses parameters that need stored state. */
function echo(raw: JsonObject): JsonObject {
  return {
    access_programs: null,
    background: false,
    instructions: raw['instructions'] ?? null,
    max_output_tokens: raw['max_output_tokens'] ?? null,
    max_tool_calls: raw['max_tool_calls'] ?? null,
    metadata: raw['metadata'] ?? {},
    parallel_tool_calls: raw['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    prompt_cache_key: raw['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectOf(raw['reasoning']) },
    safety_identifier: raw['safety_identifier'] ?? null,
    temperature: raw['temperature'] ?? 1,
    text: { format: { type: 'text' }, ...present(objectOf(raw['text']) ?? {}) },
    tool_choice: raw['tool_choice'] ?? 'auto',
    tools: arrayOf(raw['tools']).map(completeTool),
    top_logprobs: raw['top_logprobs'] ?? 0,
    top_p: raw['top_p'] ?? 1,
    truncation: 'disabled',
    ...present({ user: textOf(raw['user']) }),
  };
}

function completeTool(tool: unknown): unknown {
  if (!isObject(tool) || tool['type'] !== 'function') return tool;
  return { parameters: null, strict: null, ...tool };
}
