// A sample request for every operation, and a provider's answer to it.

import type { Operation } from '@tollgate/contracts';

import type { Route } from '../routes';
import { completion, type Script } from './fake-upstream';
import { MODEL } from './harness';

const messages = [{ role: 'user', content: 'Hi' }];

export function sound(bytes = 8_000): Blob {
  return new Blob([new Uint8Array(bytes)], { type: 'audio/mpeg' });
}

export function picture(): Blob {
  return new Blob([new Uint8Array(100)], { type: 'image/png' });
}

/** A multipart form, as a client sends it. */
export function form(fields: Record<string, string | Blob>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, `${name}.bin`);
  }
  return data;
}

const BODIES: Readonly<Record<Operation, () => object | FormData>> = {
  chat: () => ({ model: MODEL, messages, max_tokens: 10 }),
  responses: () => ({ model: MODEL, input: 'Hi' }),
  completions: () => ({ model: MODEL, prompt: 'Hi' }),
  embeddings: () => ({ model: MODEL, input: 'Hi' }),
  image_generation: () => ({ model: MODEL, prompt: 'A tree' }),
  image_edit: () => form({ model: MODEL, prompt: 'A tree', image: picture() }),
  image_variation: () => form({ model: MODEL, image: picture() }),
  moderation: () => ({ model: MODEL, input: 'Hi' }),
  transcription: () => form({ model: MODEL, file: sound() }),
  translation: () => form({ model: MODEL, file: sound() }),
  speech: () => ({ model: MODEL, input: 'Hello', voice: 'alloy' }),
  tokenize: () => ({ model: MODEL, prompt: 'Hi' }),
  detokenize: () => ({ model: MODEL, tokens: [1, 2] }),
  pooling: () => ({ model: MODEL, input: 'Hi' }),
  classify: () => ({ model: MODEL, input: 'Hi' }),
  score: () => ({ model: MODEL, text_1: 'Hi', text_2: ['Ho', 'Ha'] }),
  rerank: () => ({ model: MODEL, query: 'Hi', documents: ['Ho', 'Ha'] }),
  count_tokens: () => ({ model: MODEL, messages }),
  response_retrieve: () => ({}),
  response_delete: () => ({}),
  response_cancel: () => ({}),
  response_input_items: () => ({}),
  response_input_tokens: () => ({ model: MODEL, input: 'Hi' }),
  response_compact: () => ({ model: MODEL, input: 'Hi' }),
  conversation_create: () => ({ items: [{ role: 'user', content: 'Hi' }] }),
  conversation_retrieve: () => ({}),
  conversation_update: () => ({ metadata: { topic: 'weather' } }),
  conversation_delete: () => ({}),
  conversation_items: () => ({}),
  conversation_items_create: () => ({ items: [{ role: 'user', content: 'Hi' }] }),
  conversation_item_retrieve: () => ({}),
  conversation_item_delete: () => ({}),
};

/** The body that a client of the route sends. */
export function bodyFor({ format, operation, model }: Route): object | FormData {
  if (model.in === 'path' && operation === 'embeddings') {
    const content = { parts: [{ text: 'Hi' }] };
    return model.batch ? { requests: [{ model: `models/${MODEL}`, content }] } : { content };
  }
  if (format.startsWith('gemini')) return { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
  return BODIES[operation]();
}

export function pathFor({ path }: Route): string {
  return path.replace(':model', MODEL).replace(/:\w+_id\b/g, 'stored_1');
}

const PROMPT_USAGE = { prompt_tokens: 7, total_tokens: 7 };

const ANSWERS: Readonly<Partial<Record<Operation, object>>> = {
  completions: {
    id: 'cmpl-1',
    object: 'text_completion',
    choices: [{ index: 0, text: ' there', finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  },
  response_input_tokens: { object: 'response.input_tokens', input_tokens: 7 },
  response_compact: {
    id: 'resp_1',
    object: 'response.compaction',
    output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'sealed' }],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  },
  conversation_create: { id: 'conv_1', object: 'conversation', created_at: 1, metadata: {} },
  embeddings: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
    usage: PROMPT_USAGE,
  },
  image_generation: { created: 1, data: [{ b64_json: 'AAAA' }] },
  image_edit: { created: 1, data: [{ b64_json: 'AAAA' }] },
  image_variation: { created: 1, data: [{ b64_json: 'AAAA' }] },
  moderation: { id: 'modr-1', results: [{ flagged: false }] },
  transcription: { text: 'Hello', usage: { type: 'duration', seconds: 2 } },
  translation: { text: 'Hello', usage: { type: 'duration', seconds: 2 } },
  tokenize: { count: 2, max_model_len: 100, tokens: [1, 2], token_strs: null },
  detokenize: { prompt: 'Hi' },
  pooling: { object: 'list', data: [{ index: 0, data: [0.1] }], usage: PROMPT_USAGE },
  classify: { object: 'list', data: [{ index: 0, label: 'x', probs: [1] }], usage: PROMPT_USAGE },
  score: { object: 'list', data: [{ index: 0, object: 'score', score: 1 }], usage: PROMPT_USAGE },
  rerank: { id: 'r', results: [{ index: 0, relevance_score: 1 }], usage: PROMPT_USAGE },
};

/** The provider's answer to it, in the provider's format. */
export function answerTo(operation: Operation): Script {
  if (operation === 'speech') {
    return (res) => {
      res.writeHead(200, { 'content-type': 'audio/mpeg' });
      res.end(Buffer.alloc(2_000, 1));
    };
  }
  const body = ANSWERS[operation];
  if (!body) return (res) => completion(res, {});
  return (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(body));
  };
}
