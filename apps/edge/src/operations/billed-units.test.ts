import type { Operation } from '@tollgate/contracts';
import { BILLED_UNITS, type BilledBy } from '@tollgate/contracts/node';

import { readJob } from '.';
import { type FormatName, type JsonObject } from '../formats';
import type { Job } from './job';

// For every billed unit, a request with it sends the unit to policy.

interface Ask {
  operation: Operation;
  format: FormatName;
  body: JsonObject;
}

const USER = [{ role: 'user', content: 'Hello' }];
const relayed = (operation: Operation, body: object): Ask => ({
  operation,
  format: 'openai-chat',
  body: { model: 'm', ...body },
});
const messages = (body: object): Ask => ({
  operation: 'chat',
  format: 'anthropic-messages',
  body: { model: 'm', max_tokens: 9, messages: USER, ...body },
});
const responses = (body: object): Ask => ({
  operation: 'responses',
  format: 'openai-responses',
  body: { model: 'm', input: 'Hello', ...body },
});
const chat = (body: object): Ask => relayed('chat', { messages: USER, ...body });
const generate = (body: object): Ask => ({
  operation: 'chat',
  format: 'gemini-generate',
  body: { model: 'm', contents: [{ parts: [{ text: 'Hello' }] }], ...body },
});

const SOUND = { type: 'input_audio', input_audio: { data: 'A'.repeat(800), format: 'mp3' } };

/** Keyed by the row's id. */
const ASKS: Readonly<Record<string, Ask>> = {
  input: chat({}),
  audio_input: chat({ messages: [{ role: 'user', content: [SOUND] }] }),
  output: chat({ max_tokens: 9 }),
  image: relayed('image_generation', { prompt: 'A cat', size: '1024x1024', quality: 'high' }),
  image_output: relayed('image_generation', { prompt: 'A cat', size: 'auto' }),
  speech_output: relayed('speech', { input: 'Hello', voice: 'alloy' }),
  character: relayed('speech', { input: 'Hello', voice: 'alloy' }),
  document: relayed('rerank', { query: 'a', documents: ['b', 'c'] }),
  anthropic_web_search: messages({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  anthropic_web_fetch: messages({ tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }),
  anthropic_code: messages({
    tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
  }),
  anthropic_mcp: messages({
    mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a' }],
  }),
  anthropic_compaction: messages({
    context_management: { edits: [{ type: 'compact_20260112' }] },
  }),
  anthropic_unknown: messages({ tools: [{ type: 'oracle_20300101', name: 'oracle' }] }),
  responses_web_search: responses({ tools: [{ type: 'web_search' }] }),
  responses_file_search: responses({ tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }),
  responses_code: responses({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  responses_image: responses({ tools: [{ type: 'image_generation' }] }),
  responses_mcp: responses({ tools: [{ type: 'mcp', server_label: 'a' }] }),
  responses_unknown: responses({ tools: [{ type: 'oracle' }] }),
  responses_prompt: responses({ prompt: { id: 'pmpt_1' } }),
  chat_web_search: chat({ web_search_options: {} }),
  gemini_search: generate({ tools: [{ googleSearch: {} }] }),
  gemini_maps: generate({ tools: [{ google_maps: {} }] }),
  gemini_tokens: generate({ tools: [{ urlContext: {} }, { codeExecution: {} }] }),
  gemini_cached: generate({ cachedContent: 'cachedContents/1' }),
  gemini_unknown: generate({ tools: [{ oracle: {} }] }),
};

function jobOf({ body, format, operation }: Ask): Job {
  const bytes = Buffer.from(JSON.stringify(body));
  return readJob(operation, format, { json: body, bytes }, {});
}

/** Audio is sent in a form, and its estimate has tests of its own. */
const ELSEWHERE = new Set(['audio_second']);

function held({ by }: { by: BilledBy }, job: Job): boolean {
  const tools = job.serverTools ?? [];
  const tokens = tools.some(({ inputTokensPerCall }) => inputTokensPerCall > 0);
  switch (by) {
    case 'input tokens':
      return job.inputTokensEstimate > 0 && (tools.length === 0 || tokens);
    case 'audio input tokens':
      return job.audioInputTokensEstimate > 0;
    case 'output tokens':
      return job.maxOutputTokens > 0 || (job.outputTokensEstimate ?? 0) > 0;
    default:
      return (
        (job.unitsEstimate[by] ?? 0) > 0 || tools.some(({ unit }) => unit === by || unit === '*')
      );
  }
}

test.each(BILLED_UNITS.filter(({ id }) => !ELSEWHERE.has(id)))('$id', (row) => {
  const ask = ASKS[row.id];
  if (row.why !== undefined) {
    expect(row.why.length).toBeGreaterThan(20);
    expect(ask).toBe(undefined);
    return;
  }
  if (ask === undefined) throw new Error('a row without an example');
  expect(held(row, jobOf(ask))).toBe(true);
});

test.each([
  [{}, 6_240],
  [{ size: 'auto', quality: 'auto' }, 6_240],
  [{ quality: 'low' }, 408],
  [{ size: '1024x1024', quality: 'medium' }, 1_056],
  [{ size: '1024x1024', quality: 'hd' }, 4_160],
  [{ size: '1536x1024', quality: 'low' }, 408],
  [{ size: '512x512', quality: 'low' }, 272],
  [{ size: '2048x1536', quality: 'low' }, 816],
  [{ size: '99999x99999', quality: 'high' }, 99_840],
  [{ size: 'huge', quality: 'finest' }, 6_240],
  [{ size: '__proto__', quality: 'constructor' }, 6_240],
  [{ quality: 'low', stream: true, n: 3 }, 708],
])('an image of %j is held at %d tokens', (asked, outputTokensEstimate) => {
  const job = jobOf(relayed('image_generation', { prompt: 'A cat', ...asked }));
  expect(job).toMatchObject({ outputTokensEstimate, maxOutputTokens: 0 });
});

test.each([
  [{}, 9],
  [{ input: 'Grüße 👋' }, 13],
  [{ input: '12:30' }, 23],
  [{ input: '今日は' }, 16],
  [{ input: '안녕하세요' }, 27],
  [{ speed: 0.5 }, 18],
  [{ speed: 0.001 }, 35],
  [{ speed: -1 }, 35],
  [{ speed: 4 }, 9],
  [{ speed: 'slow' }, 9],
])('speech of %j is held at %d tokens', (asked, outputTokensEstimate) => {
  const job = jobOf(relayed('speech', { input: 'Hello', voice: 'alloy', ...asked }));
  expect(job).toMatchObject({ outputTokensEstimate, maxOutputTokens: 0, textOutput: false });
});

test('a summary of the context may come on top of the output bound', () => {
  const job = jobOf(messages({ compaction: { type: 'summarize' } }));
  expect(job.repeatedInputTokens).toBe(job.inputTokensEstimate);
  expect(jobOf(messages({})).repeatedInputTokens).toBe(undefined);
});

test('a tool lists the upstreams that run it', () => {
  const tools = jobOf(responses({ tools: [{ type: 'web_search' }] })).serverTools;
  expect(tools?.map(({ upstreams }) => upstreams)).toEqual([
    ['openai/PROVIDER_A', 'openai/PROVIDER_F', 'openai/native_responses', 'vllm'],
    // These providers replace it with their own search.
    ['anthropic/PROVIDER_B'],
    ['gemini/PROVIDER_C', 'gemini/PROVIDER_G'],
  ]);
  expect(jobOf(chat({})).serverTools).toEqual([]);
});

test('a search translated to OpenAI uses the responses endpoint', () => {
  const search = messages({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
  const ask = jobOf(search).endpointOperation;
  expect(ask?.('openai', 'PROVIDER_A')).toBe('responses');
  expect(ask?.('openai', 'PROVIDER_F')).toBe('responses');
  expect(ask?.('openai', 'CUSTOM')).toBe(undefined);
  expect(ask?.('vllm', 'PROVIDER_D')).toBe(undefined);
  expect(ask?.('anthropic', 'PROVIDER_B')).toBe(undefined);
  expect(jobOf(messages({})).endpointOperation?.('openai', 'PROVIDER_A')).toBe(undefined);
  const native = jobOf(chat({ web_search_options: {} })).endpointOperation;
  expect(native?.('openai', 'PROVIDER_A')).toBe(undefined);
});
