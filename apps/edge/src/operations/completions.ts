// Text completions of one prompt or several.

import { gatewayError } from '@tollgate/contracts';
import { z } from 'zod';

import type { JsonObject } from '../formats';
import { estimateText } from '../formats/estimate';
import type { InputText } from '../formats/estimate/input-text';
import { arrayOf, countOf, objectOf, textOf } from '../formats/json';
import { decodeUsage } from '../formats/openai-chat/usage';
import { createOutputBuffer, PLAIN_TEXT } from '../formats/output-buffer';
import { list, parsePayload } from '../formats/schema';
import { openAiTiersAsked, openAiTiersIn } from '../formats/service-tiers';
import { LIST_LIMITS } from '../json/limits';
import type { AnswerBody } from '../upstream/answer-body';
import { inputAndOutput, notAnAnswer, objectIn } from './answer';
import { createEventPassage, type Seen } from './event-passage';
import { addressed, count, estimateInput, optionalSwitch, optionalText } from './fields';
import type { Inlet } from './inlet';
import type { Answered, Job, Passage, Target } from './job';
import { ANSWERS_EVENTS, relayedJob } from './relay';

/** The bound of a request that has none: that of OpenAI and vLLM. It is sent, as other servers have none. */
const DEFAULT_OUTPUT_TOKENS = 16;
/** Limit of answers in one hold. */
const MOST_ANSWERS = 1_024;

const bound = 'must be a whole number of at least 0';
const completion = addressed.extend({
  prompt: z
    .union([
      z.string(),
      list(z.string()),
      list(z.number().int(), LIST_LIMITS.tokenIds),
      list(list(z.number().int(), LIST_LIMITS.tokenIds)),
    ])
    .nullish(),
  suffix: optionalText,
  max_tokens: z.number(bound).int(bound).min(0, bound).nullish(),
  n: count(128),
  best_of: count(128),
  stream: optionalSwitch,
  stream_options: z.looseObject({ include_usage: optionalSwitch }).nullish(),
});

export function completions(inlet: Inlet): Job {
  const wire = parsePayload(completion, inlet.fields);
  const { prompt, n, best_of: bestOf, max_tokens: maxTokens } = wire;
  const choices = Math.max(n ?? 1, bestOf ?? 1) * promptsIn(prompt);
  if (choices > MOST_ANSWERS) {
    const text = `prompt: more than ${MOST_ANSWERS} answers are requested at once`;
    throw gatewayError('invalid_request', text, { param: 'prompt' });
  }
  const asked = maxTokens ?? DEFAULT_OUTPUT_TOKENS;
  const stream = wire.stream === true;
  const inputTokensEstimate = estimateInput([prompt, wire.suffix]);
  return relayedJob(inlet, {
    inputTokensEstimate,
    inputText: () => textIn(prompt, wire.suffix),
    choices,
    // Each answer repeats its prompt.
    ...(wire['echo'] === true ? { repeatedInputTokens: inputTokensEstimate * choices } : {}),
    // A request for no output still needs a hold.
    maxOutputTokens: Math.max(1, asked),
    serviceTiers: openAiTiersAsked(inlet.fields['service_tier']),
    stream,
    changes: (target) => ({
      ...boundFor(target, maxTokens),
      ...(stream ? { stream_options: withUsage(wire.stream_options, target) } : {}),
    }),
    follow: (contentType, target) =>
      ANSWERS_EVENTS.test(contentType) ? follow(wire.stream_options ?? {}, target) : undefined,
    read: (answer) => readWhole(answer, inputTokensEstimate),
  });
}

/** The bound to send, if it is not the client's own. */
function boundFor({ maxOutputTokens: most }: Target, maxTokens: number | null | undefined) {
  const asked = maxTokens ?? DEFAULT_OUTPUT_TOKENS;
  if (most > 0 && most < asked) return { max_tokens: most };
  return maxTokens === null || maxTokens === undefined ? { max_tokens: asked } : {};
}

/** Prompts of token ids are counted already. */
function textIn(prompt: unknown, suffix: unknown): InputText {
  const parts = [...(Array.isArray(prompt) ? prompt : [prompt]), suffix];
  const texts = parts.filter((part) => typeof part === 'string');
  const ids = parts.filter((part) => typeof part !== 'string');
  return { texts, otherTokens: estimateInput(ids), soundTokens: 0 };
}

function promptsIn(prompt: unknown): number {
  const list = arrayOf(prompt);
  return typeof list[0] === 'number' ? 1 : Math.max(1, list.length);
}

function withUsage(asked: JsonObject | null | undefined, { endpoint }: Target): JsonObject {
  const running = endpoint.upstreamFormat === 'vllm' ? { continuous_usage_stats: true } : {};
  return { ...asked, include_usage: true, ...running };
}

function readWhole(answer: AnswerBody, inputTokensEstimate: number): Answered['report'] {
  const body = objectIn(answer);
  const choices = arrayOf(body['choices']).map((choice) => objectOf(choice) ?? {});
  if (choices.length === 0) throw notAnAnswer('it holds no choices');
  const usage = decodeUsage(body['usage'])?.tokens;
  const output = choices.reduce((sum, { text }) => sum + estimateText(textOf(text) ?? ''), 0);
  return {
    ...(usage ? { usage } : {}),
    ...openAiTiersIn(body),
    estimate: inputAndOutput(inputTokensEstimate, output),
    said: () => ({ texts: choices.map(({ text }) => textOf(text) ?? ''), otherTokens: 0 }),
    rawStopReason: textOf(choices[0]?.['finish_reason']) ?? '',
    responseId: textOf(body['id']) ?? '',
  };
}

// Usage is always requested, and removed again for a client that did not ask.
function follow(asked: JsonObject, { context }: Target): Passage {
  const wantsUsage = asked['include_usage'] === true;
  const wantsRunning = wantsUsage && asked['continuous_usage_stats'] === true;
  const output = createOutputBuffer(PLAIN_TEXT);
  let begun = false;
  /** Total usage for a client that asked: sent once, at the end, wherever the upstream sent it. */
  let totals: JsonObject | undefined;

  const read = (event: JsonObject, report: Passage['report']): Seen => {
    const choices = arrayOf(event['choices']).map((choice) => objectOf(choice) ?? {});
    begun ||= choices.length > 0;
    report.responseId ??= textOf(event['id']) ?? '';
    Object.assign(report, openAiTiersIn(event));
    const reason = choices.map((choice) => textOf(choice['finish_reason'])).find(Boolean);
    if (reason !== undefined) report.rawStopReason ??= reason;
    const usage = decodeUsage(event['usage']);
    let outputBytes = 0;
    for (const { index, text } of choices) {
      const said = textOf(text) ?? '';
      outputBytes += Buffer.byteLength(said);
      output.add(countOf(index) ?? 0, said);
    }
    if (usage) {
      report.usage = usage.tokens;
      output.clear();
    }
    if (!usage) return { outputBytes };
    if (wantsUsage) totals = { ...event, choices: [] };
    if (choices.length > 0 && wantsRunning) return { outputBytes };
    const { usage: _, ...rest } = event;
    const stripped = Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
    return { outputBytes, verdict: choices.length > 0 && stripped };
  };
  return createEventPassage({
    read,
    mayEnd: () => begun,
    beforeEnd: () => totals && Buffer.from(`data: ${JSON.stringify(totals)}\n\n`),
    requestId: context.requestId,
    model: context.model,
    output,
  });
}
