// OpenAI responses: the response object, and its stream of numbered events.

import type { Answer } from '../../answer';
import type { BilledUsage } from '../../bill';
import { arrayOf, objectOf, type JsonObject } from '../../json';
import { EVENT_STREAM, type Call, type Frame, type Problem, type Stream } from '../../reply';
import { openAiTier } from '../../tiers';
import { inputOf, outputOf } from '../../usage';
import { conversationIdIn } from './conversations';
import type { Item } from './items';

export type FinalStatus = 'completed' | 'incomplete' | 'failed';

export function statusOf(answer: Answer, call: Call): FinalStatus {
  if (failureOf(call) !== undefined) return 'failed';
  const cut = answer.finishReason === 'length' || answer.finishWord !== undefined;
  return cut ? 'incomplete' : 'completed';
}

const TOO_LONG = {
  code: 'context_length_exceeded',
  message:
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

function failureOf({ directives }: Call): JsonObject | undefined {
  if (directives['too-long']) return TOO_LONG;
  if (!directives.failed) return undefined;
  return { code: 'server_error', message: 'The simulator was asked to fail.' };
}

export function usageOfResponse(usage: BilledUsage): JsonObject {
  const input = inputOf(usage);
  const output = outputOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
}

export function responseOf(
  call: Call,
  answer: Answer,
  state: {
    status: FinalStatus | 'in_progress' | 'queued' | 'cancelled';
    output: JsonObject[];
    usage: BilledUsage | undefined;
  },
): JsonObject {
  const { body } = call;
  const { output, status, usage } = state;
  const reasoning = objectOf(body['reasoning']);
  const conversation = conversationIdIn(body);
  return {
    id: `resp_${call.id}`,
    object: 'response',
    created_at: call.atS,
    ...(status === 'completed' ? { completed_at: call.atS } : {}),
    status,
    background: body['background'] === true,
    ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
    error: status === 'failed' ? (failureOf(call) ?? null) : null,
    incomplete_details:
      status === 'incomplete' ? { reason: answer.finishWord ?? 'max_output_tokens' } : null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: objectOf(body['metadata']) ?? {},
    model: call.model,
    output,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: { effort: reasoning?.['effort'] ?? null, summary: reasoning?.['summary'] ?? null },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: openAiTier(call),
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...objectOf(body['text']) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: arrayOf(body['tools']),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: usage === undefined || call.directives['too-long'] ? null : usageOfResponse(usage),
    user: body['user'] ?? null,
  };
}

const LAST_EVENTS: Readonly<Record<FinalStatus, string>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
};

export function responseStream(
  call: Call,
  answer: Answer,
  items: Item[],
  status: FinalStatus,
): Stream {
  let sequence = 0;
  const event = (type: string, fields: JsonObject): string => {
    const data = JSON.stringify({ type, ...fields, sequence_number: sequence });
    return `event: ${type}\ndata: ${data}\n\n`;
  };
  const begun = { status: 'in_progress' as const, output: [], usage: undefined };

  /** A number is used only once its event has been taken, because a fault may precede it. */
  function* numbered(type: string, fields: JsonObject, tokens = 0): Generator<Frame> {
    yield { text: event(type, fields), tokens };
    sequence += 1;
  }

  function* frames(): Generator<Frame> {
    const response = responseOf(call, answer, begun);
    yield* numbered('response.created', { response });
    yield* numbered('response.in_progress', { response });
    for (const [output_index, { start, steps, whole }] of items.entries()) {
      yield* numbered('response.output_item.added', { output_index, item: start });
      const place = { item_id: whole['id'], output_index };
      for (const { fields, tokens, type } of steps) {
        // Hidden reasoning takes time but emits no event.
        if (type === '') yield { text: '', tokens };
        else yield* numbered(type, { ...place, ...fields }, tokens);
      }
      yield* numbered('response.output_item.done', { output_index, item: whole });
    }
  }

  return {
    type: EVENT_STREAM,
    frames: frames(),
    ending(usage) {
      const output = items.map(({ whole }) => whole);
      const response = responseOf(call, answer, { status, output, usage });
      return event(LAST_EVENTS[status], { response });
    },
    problem: ({ code, message }: Problem) => event('error', { code, message, param: null }),
    garbage: 'event: response.output_text.delta\ndata: {"this is not": the event\n\n',
    keepAlive: ': keep-alive\n\n',
  };
}
