import type { Operation } from '@tollgate/contracts';

import { readJob } from '.';
import type { FormatName } from '../formats';

// A server in Go takes the name of a field in any case, so a field that only looks like one of those that were decided
// about would be run instead.

const USER = [{ role: 'user', content: 'Hi' }];

const REQUESTS: readonly [Operation, FormatName, object][] = [
  ['chat', 'openai-chat', { model: 'm', messages: USER, max_tokens: 5 }],
  ['chat', 'anthropic-messages', { model: 'm', messages: USER, max_tokens: 5 }],
  ['chat', 'unified', { model: 'm', messages: USER, max_tokens: 5 }],
  ['responses', 'openai-responses', { model: 'm', input: 'Hi' }],
  ['completions', 'openai-chat', { model: 'm', prompt: 'Hi' }],
  ['embeddings', 'openai-chat', { model: 'm', input: 'Hi' }],
  ['moderation', 'openai-chat', { model: 'm', input: 'Hi' }],
  ['rerank', 'openai-chat', { model: 'm', query: 'a', documents: ['b'] }],
  ['speech', 'openai-chat', { model: 'm', input: 'Hi' }],
  ['image_generation', 'openai-chat', { model: 'm', prompt: 'A fox' }],
];

function read(operation: Operation, format: FormatName, json: object) {
  const bytes = Buffer.from(JSON.stringify(json));
  return readJob(operation, format, { json: json as never, bytes }, {});
}

test.each(REQUESTS)('%s in %s: a field in another case is refused by its name', (...request) => {
  const [operation, format, json] = request;
  expect(read(...request)).toBeDefined();
  for (const known of Object.keys(json)) {
    const [first = ''] = known;
    for (const name of [known.toUpperCase(), first.toUpperCase() + known.slice(1)]) {
      expect(() => read(operation, format, { ...json, [name]: 'other' })).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          param: name,
          message: `${name}: the name of this field is ${known}`,
        }) as Error,
      );
    }
  }
});

test.each([
  ['chat', 'openai-chat', { model: 'm', messages: USER }, 'Max_Tokens'],
  // The Kelvin sign is a k to Go.
  ['chat', 'openai-chat', { model: 'm', messages: USER }, 'max_to\u212Aens'],
  ['chat', 'openai-chat', { model: 'm', messages: USER }, 'N'],
  ['chat', 'openai-chat', { model: 'm', messages: USER }, 'Service_tier'],
  ['image_generation', 'openai-chat', { model: 'm', prompt: 'A fox' }, 'N'],
  ['completions', 'openai-chat', { model: 'm', prompt: 'Hi' }, 'BEST_OF'],
  ['completions', 'openai-chat', { model: 'm', prompt: 'Hi' }, 'Echo'],
  ['chat', 'openai-chat', { model: 'm', messages: USER }, 'Web_Search_Options'],
  ['chat', 'anthropic-messages', { model: 'm', messages: USER, max_tokens: 5 }, 'Mcp_Servers'],
  ['chat', 'anthropic-messages', { model: 'm', messages: USER, max_tokens: 5 }, 'Speed'],
  ['responses', 'openai-responses', { model: 'm', input: 'Hi' }, 'Max_Tool_Calls'],
  ['responses', 'openai-responses', { model: 'm', input: 'Hi' }, 'Previous_Response_Id'],
  ['image_edit', 'openai-chat', { model: 'm', prompt: 'A fox' }, 'Images'],
  ['score', 'openai-chat', { model: 'm', text_1: 'a', text_2: 'b' }, 'Documents'],
] as const)('%s in %s with %j: %s is refused although the field itself is absent', (...row) => {
  const [operation, format, json, name] = row;
  expect(() => read(operation, format, { ...json, [name]: 9 })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: name }) as Error,
  );
});

test('fields that the gateway does not know go upstream in their own spelling', () => {
  const own = { providerOptions: {}, maxTokens: 5, X: 1 };
  expect(read('chat', 'openai-chat', { model: 'm', messages: USER, ...own })).toBeDefined();
});
