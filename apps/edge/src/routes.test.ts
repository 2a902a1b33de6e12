import {
  FAMILY_OPERATIONS,
  mayDeclareResponses,
  OPERATIONS,
  PROVIDER_TYPES,
  providerServes,
  UPSTREAM_FORMATS,
} from '@tollgate/contracts';

import { MODEL_ROUTES } from './ops/models';
import { errorFormatOf, formatOf, ROUTES } from './routes';
import { endpointOf, ENDPOINTS } from './upstream/endpoints';

const OPENAI = [
  'chat/completions',
  'responses',
  'embeddings',
  'images/generations',
  'images/edits',
  'images/variations',
  'completions',
  'moderations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'responses/:response_id',
  'responses/:response_id',
  'responses/:response_id/cancel',
  'responses/:response_id/input_items',
  'responses/input_tokens',
  'responses/compact',
  'conversations',
  'conversations/:conversation_id',
  'conversations/:conversation_id',
  'conversations/:conversation_id',
  'conversations/:conversation_id/items',
  'conversations/:conversation_id/items',
  'conversations/:conversation_id/items/:item_id',
  'conversations/:conversation_id/items/:item_id',
];
const VLLM = [
  'chat/completions',
  'completions',
  'responses',
  'embeddings',
  'audio/transcriptions',
  'audio/translations',
  'tokenize',
  'detokenize',
  'pooling',
  'classify',
  'score',
  'rerank',
  'responses/:response_id',
  'responses/:response_id/cancel',
];
const GENERATE = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
];

test('the table has every path of the interface, and no other', () => {
  const expected = [
    '/v1/llm/chat',
    ...OPENAI.map((path) => `/v1/${path}`),
    '/v1/messages',
    '/v1/messages/count_tokens',
    ...['/v1beta', '/v1'].flatMap((prefix) =>
      GENERATE.map((name) => `${prefix}/models/:model:${name}`),
    ),
    ...['provider_d', 'vllm'].flatMap((name) => VLLM.map((path) => `/v1/${name}/${path}`)),
  ];
  expect(ROUTES.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  const lists = MODEL_ROUTES.flatMap(({ methods, path }) => methods.map((m) => `${m} ${path}`));
  expect(lists).toEqual([
    'get /v1/models',
    'get /v1beta/models',
    'get /v1/provider_d/models',
    'post /v1/provider_d/models',
    'get /v1/vllm/models',
    'post /v1/vllm/models',
  ]);
});

test('every operation has a route, and an endpoint at some provider', () => {
  for (const operation of OPERATIONS) {
    expect(ROUTES.some((route) => route.operation === operation)).toBe(true);
    expect(ENDPOINTS.some((endpoint) => endpoint.operation === operation)).toBe(true);
  }
});

test('the serving table matches the routes and endpoints', () => {
  for (const [family, operations] of Object.entries(FAMILY_OPERATIONS)) {
    const routed = ROUTES.filter((route) => route.family === family);
    expect(new Set(routed.map(({ operation }) => operation))).toEqual(new Set(operations));
  }
  for (const operation of OPERATIONS) {
    // The gateway answers token counts itself if no provider can.
    if (operation === 'count_tokens') continue;
    for (const format of UPSTREAM_FORMATS) {
      for (const type of PROVIDER_TYPES) {
        for (const declared of [false, mayDeclareResponses(type, format)]) {
          const endpoint = endpointOf(type, format, operation, declared);
          expect([type, format, operation, declared, endpoint !== undefined]).toEqual([
            type,
            format,
            operation,
            declared,
            providerServes(type, format, operation, declared),
          ]);
        }
      }
    }
  }
});

test('conversations reach every kind of provider', () => {
  for (const operation of ['chat', 'responses'] as const) {
    for (const format of UPSTREAM_FORMATS) {
      for (const type of PROVIDER_TYPES) expect(endpointOf(type, format, operation)).toBeDefined();
    }
  }
});

test.each([
  ['PROVIDER_A', 'responses', '/responses'],
  ['PROVIDER_F', 'responses', '/responses'],
  ['PROVIDER_F', 'response_delete', '/responses/{response_id}'],
  ['CUSTOM', 'response_retrieve', undefined],
  ['CUSTOM', 'responses', '/chat/completions'],
  ['PROVIDER_A', 'conversation_items', '/conversations/{conversation_id}/items'],
  ['CUSTOM', 'conversation_create', undefined],
  ['PROVIDER_F', 'image_edit', '/images/edits'],
  ['PROVIDER_F', 'image_variation', undefined],
  ['PROVIDER_F', 'moderation', undefined],
  ['PROVIDER_A', 'tokenize', undefined],
] as const)('%s serves %s at %s', (type, operation, path) => {
  expect(endpointOf(type, 'openai', operation)?.path).toBe(path);
});

test('a custom provider that declares the Responses API gets responses, and serves its stored ones', () => {
  const paths = (['responses', 'response_retrieve', 'conversation_create'] as const).map(
    (operation) => endpointOf('CUSTOM', 'openai', operation, true)?.path,
  );
  expect(paths).toEqual(['/responses', '/responses/{response_id}', '/conversations']);
});

test('a stream is events if the query asks for them, and an array otherwise', () => {
  const route = ROUTES.find(({ path }) => path === '/v1beta/models/:model:streamGenerateContent');
  if (!route) throw new Error('no such route');
  expect(formatOf(route, '/v1beta/models/m:streamGenerateContent?alt=sse&key=k')).toBe(
    'gemini-generate',
  );
  expect(formatOf(route, '/v1beta/models/m:streamGenerateContent')).toBe('gemini-generate-array');
});

test.each([
  ['POST', '/v1/llm/other', 'unified'],
  ['POST', '/v1/messages/batches', 'anthropic-messages'],
  ['POST', '/v1beta/models/m:predict', 'gemini-generate'],
  ['POST', '/v1/models/m:predict', 'gemini-generate'],
  ['GET', '/v1/models/m', 'openai-chat'],
  ['GET', '/v1/other', 'openai-chat'],
])('%s %s does not exist, and its error has the format %s', (method, path, format) => {
  expect(errorFormatOf(method, path)).toBe(format);
});

test.each([
  ['x-goog-api-key', '/v1/files', 'gemini-generate'],
  ['anthropic-version', '/v1/files', 'anthropic-messages'],
  ['authorization', '/v1/files', 'openai-chat'],
  ['x-goog-api-key', '/v1/messages/batches', 'anthropic-messages'],
])('a client that sends %s gets the error format of %s', (header, path, format) => {
  expect(errorFormatOf('GET', path, { [header]: 'x' })).toBe(format);
});
