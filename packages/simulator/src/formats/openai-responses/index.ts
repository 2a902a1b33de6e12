// POST /v1/responses. Responses are stored per key for `previous_response_id`, unless `store` is
// false.

import { answerTo } from '../../answer';
import type { BilledUsage } from '../../bill';
import { objectOf, textOf, textsOf, type JsonObject } from '../../json';
import { visitAutomaticCache } from '../../prompt-cache';
import { json, type Call, type Problem, type Reply, type Stream } from '../../reply';
import { runsFor, searchesFor, toolUnits, withFound } from '../../searches';
import { billedTiers, openAiTier } from '../../tiers';
import { usageOf } from '../../usage';
import { conversationOf, sealReasoning } from './checks';
import { addTurn } from './conversations';
import { itemsFor, type Manner } from './items';
import { itemsOf, readResponses, responsesPrompt, runsCode, searches } from './request';
import { responseOf, responseStream, statusOf } from './response';
import { createStored, type Work } from './stored';

export function responses(call: Call): Reply | Problem {
  const { body, directives } = call;
  const background = body['background'] === true;
  const conversation = conversationOf(call);
  if ('status' in conversation) return conversation;
  const ask = readResponses(body, conversation.items);
  const answer = answerTo(ask, directives, call.id);
  const manner = mannerOf(call, conversation.items, ask.said.text);
  const refused = directives['too-long'] === true;
  const items = refused ? [] : itemsFor(answer, manner);
  const output = items.map(({ whole }) => whole);
  const streamed = body['stream'] === true;
  const status = statusOf(answer, call);
  const id = `resp_${call.id}`;
  const tokens = answer.outputTokens;
  const billed = billedBeside(call, manner);
  const found = withFound(ask.count, manner.searches, directives);
  const visit = visitAutomaticCache(call, () => responsesPrompt(body, conversation.items));
  const counted = { reasoning: answer.reasoningTokens, cache: visit?.use };
  const usage = (generated: number) => usageOf(found, directives, generated, counted);
  const object: Work['object'] = (now) =>
    now === status
      ? responseOf(call, answer, { status, output, usage: usage(tokens) })
      : responseOf(call, answer, { status: now, output: [], usage: undefined });
  const input = itemsOf(body['input']);
  const stream = responseStream(call, answer, items, status);
  const stored = createStored({
    call,
    items: conversation.items,
    input,
    output,
    tokens,
    ends: status,
    object,
    ended: () => {
      if (status !== 'failed') addTurn(call, input, output);
    },
    events: () => eventsOf(responseStream(call, answer, items, status), usage(tokens)),
    line: (generated) => ({
      id,
      operation: 'responses',
      model: call.model,
      apiKey: call.apiKey,
      stream: streamed,
      usage: usage(generated),
      ...billed,
    }),
  });
  const keep = (): void => {
    visit?.keep();
    if (!background && status !== 'failed') addTurn(call, input, output);
    if (body['store'] === false || (status === 'failed' && !background)) return;
    keepStored(call, id, stored, output);
  };
  const frames = streamed ? { stream } : {};
  if (!background) {
    return {
      ...(refused ? {} : { id, ...billed }),
      tokens,
      usage,
      unary: (used) => json(responseOf(call, answer, { status, output, usage: used })),
      done: keep,
      ...frames,
    };
  }
  // It is processed and billed whether or not the client waits for the answer.
  keep();
  if (streamed) stored.replay();
  return { tokens, usage, unary: () => json(stored.now()), ...frames };
}

/** What is billed beside tokens, and the tier of both. */
function billedBeside(call: Call, { runs, searches }: Manner) {
  return { units: toolUnits(searches, runs), ...billedTiers(openAiTier(call)) };
}

function keepStored(
  { apiKey, memory }: Call,
  id: string,
  stored: ReturnType<typeof createStored>,
  output: readonly JsonObject[],
): void {
  memory.responses.set(`${apiKey} ${id}`, stored, bytesOf(stored.items));
  for (const item of output)
    memory.items.set(`${apiKey} ${textOf(item['id'])}`, item, bytesOf(item));
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function eventsOf(stream: Stream, usage: BilledUsage): string[] {
  const texts: string[] = [];
  for (const { text } of stream.frames) if (text !== '') texts.push(String(text));
  return [...texts, String(stream.ending(usage))];
}

function mannerOf(
  { apiKey, body, directives, id }: Call,
  items: JsonObject[],
  said: string,
): Manner {
  const include = textsOf(body['include']);
  const summary = objectOf(body['reasoning'])?.['summary'];
  const summarised = typeof summary === 'string' ? 'summary' : 'hidden';
  return {
    id,
    thoughts: directives.vllm ? 'text' : summarised,
    sealed: include.includes('reasoning.encrypted_content') ? sealReasoning(apiKey, id) : undefined,
    search: said,
    searches: searchesFor(searches(body, items), directives, body['max_tool_calls']),
    sources: include.includes('web_search_call.action.sources'),
    runs: runsFor(runsCode(body, items), directives, body['max_tool_calls']),
    logprobs: include.includes('message.output_text.logprobs'),
  };
}
