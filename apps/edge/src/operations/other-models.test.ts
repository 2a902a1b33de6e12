import type { Operation } from '@tollgate/contracts';

import { readJob } from '.';
import type { FormatName } from '../formats';

// OpenRouter, LiteLLM and Anthropic run other models for fields that name them.

const USER = [{ role: 'user', content: 'Hi' }];
const ROUTES: readonly [Operation, FormatName, object][] = [
  ['chat', 'openai-chat', { model: 'm', messages: USER }],
  ['chat', 'anthropic-messages', { model: 'm', messages: USER, max_tokens: 5 }],
  ['chat', 'unified', { model: 'm', messages: USER }],
  ['responses', 'openai-responses', { model: 'm', input: 'Hi' }],
  ['completions', 'openai-chat', { model: 'm', prompt: 'Hi' }],
  ['embeddings', 'openai-chat', { model: 'm', input: 'Hi' }],
  ['image_generation', 'openai-chat', { model: 'm', prompt: 'A fox' }],
];

describe.each(ROUTES)('%s in %s', (operation, format, asked) => {
  const read = (more: object) => {
    const json = { ...asked, ...more };
    const bytes = Buffer.from(JSON.stringify(json));
    return readJob(operation, format, { json, bytes }, {});
  };

  test.each([
    ['models', ['gpt-5-pro']],
    ['fallbacks', [{ model: 'gpt-5-pro' }]],
    ['fallback_model', 'gpt-5-pro'],
    ['fallback_models', ['gpt-5-pro']],
    ['deferred', true],
  ])('%s is refused by its name', (param, value) => {
    const refused = { code: 'unsupported_parameter', param };
    expect(() => read({ [param]: value })).toThrow(expect.objectContaining(refused) as Error);
    for (const nothing of [null, []]) expect(read({ [param]: nothing })).toBeDefined();
  });

  test('an answer that is not deferred is served', () => {
    expect(read({ deferred: false })).toBeDefined();
  });
});

test('completions ask for their processing tier', () => {
  const json = { model: 'm', prompt: 'Hi', service_tier: 'priority' };
  const bytes = Buffer.from(JSON.stringify(json));
  const { serviceTiers } = readJob('completions', 'openai-chat', { json, bytes }, {});
  expect(serviceTiers).toEqual([
    { name: 'priority', param: 'service_tier', upstreams: ['openai'] },
  ]);
});
