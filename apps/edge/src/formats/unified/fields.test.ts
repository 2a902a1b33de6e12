import { unified } from '.';
import type { ReplyContext } from '../format';
import type { ContentBlock } from '../normalised';

// Every request field of the interface specification, and every kind of content block in an answer.

const messages = [{ role: 'user', content: 'Hi' }];
const decode = (fields: object) => unified.decodeRequest({ model: 'm', messages, ...fields }, {});

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WEATHER = { name: 'weather', description: 'Tells it', parameters: PARAMETERS };

test.each([
  ['provider', 'provider_a', { provider: 'provider_a' }],
  ['model', 'house', { model: 'house' }],
  ['temperature', 0.5, { sampling: { temperature: 0.5 } }],
  ['max_tokens', 7, { maxOutputTokens: 7 }],
  ['top_p', 0.9, { sampling: { topP: 0.9 } }],
  ['top_k', 40, { sampling: { topK: 40 } }],
  ['stop', ['a', 'b'], { sampling: { stop: ['a', 'b'] } }],
  ['presence_penalty', 0.1, { sampling: { presencePenalty: 0.1 } }],
  ['frequency_penalty', 0.2, { sampling: { frequencyPenalty: 0.2 } }],
  ['seed', 3, { sampling: { seed: 3 } }],
  ['reasoning_effort', 'low', { reasoningEffort: 'low' }],
  [
    'thinking',
    { type: 'enabled', budget_tokens: 2_000 },
    { reasoningBudget: { tokens: 2_000, path: 'thinking' } },
  ],
  ['metadata', { team: 'blue' }, { metadata: { team: 'blue' } }],
  ['response_format', { type: 'json_object' }, { responseFormat: { type: 'json_object' } }],
  ['tools', [{ type: 'function', function: WEATHER }], { tools: [WEATHER] }],
  [
    'tool_choice',
    { type: 'function', function: { name: 'weather' } },
    { toolChoice: { tool: { name: 'weather' } } },
  ],
  ['stream', true, { stream: true, includeUsage: false }],
] as const)('the field %s is read: %j', (name, value, expected) => {
  expect(decode({ [name]: value })).toMatchObject(expected);
});

test('include_usage asks for usage together with stream, and for nothing without it', () => {
  expect(decode({ stream: true, include_usage: true }).includeUsage).toBe(true);
  expect(decode({ include_usage: true }).includeUsage).toBe(false);
});

const PIXEL = 'data:image/png;base64,AAAA';

test.each([
  ['text', { type: 'text', text: 'Hello' }, { type: 'text', text: 'Hello' }],
  [
    'image, by data URL',
    { type: 'image_url', image_url: { url: PIXEL } },
    { type: 'image', url: PIXEL },
  ],
  [
    'image, by address',
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    { type: 'image', url: 'https://example.com/a.png' },
  ],
  [
    'audio',
    { type: 'audio', audio: { data: 'AAAA', format: 'wav' } },
    { type: 'audio', data: 'AAAA', format: 'wav' },
  ],
])('a message may hold a block of %s', (_, block, expected) => {
  const [message] = decode({
    messages: [{ role: 'user', content: '', content_blocks: [block] }],
  }).messages;
  expect(message?.content).toMatchObject([expected]);
});

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 5,
  includeUsage: false,
};

test.each<[string, ContentBlock, object]>([
  ['image-output', { type: 'image', url: PIXEL }, { type: 'image_url', image_url: { url: PIXEL } }],
  [
    'audio',
    { type: 'audio', data: 'AAAA', format: 'wav' },
    { type: 'audio', audio: { data: 'AAAA', format: 'wav' } },
  ],
  ['refusal', { type: 'refusal', text: 'No.' }, { type: 'refusal', refusal: 'No.' }],
])('an answer with a block of kind %s has content_blocks', (_, block, expected) => {
  const answer = unified.encodeResponse(
    {
      id: 'x',
      model: 'up',
      choices: [
        {
          index: 0,
          content: [{ type: 'text', text: 'Hello' }, block],
          stopReason: 'stop',
          rawStopReason: 'stop',
        },
      ],
    },
    context,
  );
  expect(answer).toMatchObject({
    content: 'Hello',
    content_blocks: [{ type: 'text', text: 'Hello' }, expected],
  });
});
