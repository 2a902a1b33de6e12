import { emptyUsage, GatewayError } from '@tollgate/contracts';

import { unified } from '.';
import type { ReplyContext } from '../format';

const messages = [{ role: 'user', content: 'Hi' }];
const ok = { model: 'm', messages };
const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 5,
  includeUsage: false,
};

function refusal(body: Record<string, unknown>): GatewayError {
  try {
    unified.decodeRequest(body, {});
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

test.each([
  'base_url',
  'api_base',
  'upstream_base_url',
  'baseUrl',
  'api_key',
  'upstream_api_key',
  'apiKey',
  'timeout',
  'timeout_ms',
  'model_override',
  'modelOverride',
  'raw_payload',
])('the internal override %s is refused by name', (name) => {
  const error = refusal({ ...ok, [name]: 'x' });
  expect(error).toMatchObject({ code: 'invalid_request', param: name });
  expect(error.message).toContain(name);
});

test.each([
  [{ model: 'm' }, 'messages'],
  [{ messages }, 'model'],
  [{ ...ok, messages: [{ role: 'user' }] }, 'messages[0].content'],
  [{ ...ok, messages: [{ role: 'nobody', content: 'x' }] }, 'messages[0].role'],
  [{ ...ok, messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
  [
    {
      ...ok,
      messages: [
        { role: 'user', content: 'x', content_blocks: [{ type: 'image_url', image_url: {} }] },
      ],
    },
    'messages[0].content_blocks[0].image_url.url',
  ],
  [
    { ...ok, messages: [{ role: 'user', content: 'x', content_blocks: [{ type: 'hologram' }] }] },
    'messages[0].content_blocks[0].type',
  ],
  [{ ...ok, include_usage: 'yes' }, 'include_usage'],
  [{ ...ok, max_tokens: -1 }, 'max_tokens'],
])('%j is refused for %s', (body, param) => {
  expect(refusal(body)).toMatchObject({ code: 'invalid_request', status: 400, param });
});

test('content that repeats the blocks counts once, other content precedes them', () => {
  const read = (content: string, texts: string[]) => {
    const content_blocks = texts.map((text) => ({ type: 'text', text }));
    const [message] = unified.decodeRequest(
      { model: 'm', messages: [{ role: 'user', content, content_blocks }] },
      {},
    ).messages;
    return message?.content.map((block) => block.type === 'text' && block.text);
  };
  expect(read('a', ['a'])).toEqual(['a']);
  expect(read('ab', ['a', 'b'])).toEqual(['a', 'b']);
  expect(read('before', ['a'])).toEqual(['before', 'a']);
  expect(read('', ['a'])).toEqual(['a']);
});

test('an unknown field is reported as dropped', () => {
  const request = unified.decodeRequest({ ...ok, n: 3, odd: null }, {});
  const target = { providerType: 'PROVIDER_A' as const, model: 'up', strict: false };
  const openaiChat = unified.encodeRequest(request, target);
  expect(request.n).toBe(1);
  expect(openaiChat.dropped).toEqual(['n']);
});

test('an answer has exactly the fields that are always present', () => {
  const answer = unified.encodeResponse(
    {
      id: 'x',
      model: 'real-name',
      choices: [
        {
          index: 0,
          content: [{ type: 'text', text: 'Hello' }],
          stopReason: 'stop',
          rawStopReason: 'end_turn',
        },
      ],
    },
    { ...context, estimatedUsage: { ...emptyUsage(), input: 3, output: 1 } },
  );
  expect(answer).toEqual({
    provider: 'provider_a',
    model: 'm',
    content: 'Hello',
    stop_reason: 'stop',
    input_tokens: 3,
    output_tokens: 1,
  });
});

test("token totals are the provider's own, on its own basis", () => {
  const tokens = { ...emptyUsage(), input: 40, cacheRead: 60, output: 5 };
  const answer = { id: '', model: '', choices: [] };
  const reported = { tokens, inputTokens: 40, outputTokens: 5 };
  expect(unified.encodeResponse({ ...answer, usage: reported }, context)).toMatchObject({
    input_tokens: 40,
    output_tokens: 5,
  });
});

test('content is empty text if there are only tool calls', () => {
  const call = {
    type: 'tool_call',
    id: 'c',
    kind: 'function',
    name: 'f',
    arguments: '{}',
  } as const;
  const answer = unified.encodeResponse(
    {
      id: '',
      model: '',
      choices: [{ index: 0, content: [call], stopReason: 'tool_calls', rawStopReason: '' }],
    },
    context,
  );
  expect(answer).toMatchObject({
    content: '',
    stop_reason: 'tool_calls',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
  });
  expect(answer).not.toHaveProperty('content_blocks');
});
