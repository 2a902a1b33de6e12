import { GatewayError } from '@tollgate/contracts';

import { FORMATS } from '..';
import type { TargetContext } from '../format';
import type { NormalisedRequest } from '../normalised';
import { decodeRequest, encodeRequest } from './request';

const messages = [{ role: 'user', content: 'Hi' }];
const target: TargetContext = { providerType: 'PROVIDER_A', model: 'up', strict: false };

function refusal(body: Record<string, unknown>): GatewayError {
  try {
    decodeRequest(body);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const user = (part: object) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] });
const ok = { model: 'm', messages };

test.each([
  [{}, 'model'],
  [{ model: '', messages }, 'model'],
  [{ model: 5, messages }, 'model'],
  [{ model: 'm' }, 'messages'],
  [{ model: 'm', messages: [] }, 'messages'],
  [{ model: 'm', messages: {} }, 'messages'],
  [{ model: 'm', messages: ['x'] }, 'messages[0]'],
  [{ model: 'm', messages: [{ role: 'owner', content: 'x' }] }, 'messages[0].role'],
  [{ model: 'm', messages: [...messages, { role: 'user' }] }, 'messages[1].content'],
  [{ model: 'm', messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
  [{ model: 'm', messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
  [user({ text: 'x' }), 'messages[0].content[0].type'],
  [user({ type: 'text' }), 'messages[0].content[0].text'],
  [user({ type: 'image_url', image_url: {} }), 'messages[0].content[0].image_url.url'],
  [user({ type: 'image_url', image_url: '' }), 'messages[0].content[0].image_url.url'],
  [user({ type: 'image_url', image_url: 5 }), 'messages[0].content[0].image_url'],
  [
    user({ type: 'input_audio', input_audio: { data: 'x' } }),
    'messages[0].content[0].input_audio.format',
  ],
  [
    {
      model: 'm',
      messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { arguments: '' } }] }],
    },
    'messages[0].tool_calls[0].function.name',
  ],
  [{ ...ok, temperature: 'hot' }, 'temperature'],
  [{ ...ok, max_tokens: 0 }, 'max_tokens'],
  [{ ...ok, max_completion_tokens: 1.5 }, 'max_completion_tokens'],
  [{ ...ok, n: 0 }, 'n'],
  [{ ...ok, n: 129 }, 'n'],
  [{ ...ok, stop: 5 }, 'stop'],
  [{ ...ok, stop: ['a', 5] }, 'stop[1]'],
  [{ ...ok, stream: 'yes' }, 'stream'],
  [{ ...ok, stream: true, stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
  [{ ...ok, tools: [{ type: 'function' }] }, 'tools[0].function'],
  [
    { ...ok, tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    'tools[0].function.parameters',
  ],
  [{ ...ok, tool_choice: 'maybe' }, 'tool_choice'],
  [{ ...ok, tool_choice: { type: 'function', function: {} } }, 'tool_choice.function.name'],
  [
    { ...ok, response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.name',
  ],
  [{ ...ok, response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
  [{ ...ok, response_format: { type: 'json_schema', schema: 'x' } }, 'response_format.json_schema'],
  [{ ...ok, response_format: {} }, 'response_format.type'],
  [{ ...ok, logit_bias: { a: 'b' } }, 'logit_bias.a'],
])('%j is refused for %s', (body, param) => {
  const error = refusal(body);
  expect(error).toMatchObject({ code: 'invalid_request', status: 400, param });
  expect(error.message).toContain(param);
});

describe('spellings of other servers of this format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const spelled = {
    ...user({ type: 'image_url', image_url: 'https://a.test/b.png' }),
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'any',
    response_format: { type: 'json_schema', schema, strict: true },
  };

  test('have their evident meaning', () => {
    const request = decodeRequest(spelled);
    expect(request).toMatchObject({
      messages: [{ content: [{ type: 'image', url: 'https://a.test/b.png' }] }],
      toolChoice: { mode: 'required' },
      responseFormat: { type: 'json_schema', name: 'answer', schema, strict: true },
      extras: {},
    });
    const to = FORMATS['openai-responses'].encodeRequest(request, target);
    expect(to).toMatchObject({
      dropped: [],
      body: {
        tool_choice: 'required',
        text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
      },
    });
  });

  test('pass to a server of this format as they are', () => {
    expect(encodeRequest(decodeRequest(spelled), target).body).toEqual({ ...spelled, model: 'up' });
  });

  test('a schema beside the type json_object is the schema of the answer', () => {
    const asked = { ...spelled, response_format: { type: 'json_object', schema } };
    const request = decodeRequest(asked);
    expect(request.responseFormat).toEqual({ type: 'json_schema', name: 'answer', schema });
    expect(FORMATS['anthropic-messages'].encodeRequest(request, target)).toMatchObject({
      dropped: [],
      body: { output_config: { format: { type: 'json_schema', schema } } },
    });
    expect(encodeRequest(request, target).body).toEqual({ ...asked, model: 'up' });
  });
});

test('null counts as absent', () => {
  const request = decodeRequest({
    ...ok,
    temperature: null,
    tools: null,
    stop: null,
    stream: null,
  });
  expect(request).toMatchObject({ sampling: {}, tools: [], stream: false, extras: {} });
});

test('usage is included only in a stream that asks for it', () => {
  const options = { stream_options: { include_usage: true } };
  expect(decodeRequest({ ...ok, ...options }).includeUsage).toBe(false);
  expect(decodeRequest({ ...ok, ...options, stream: true }).includeUsage).toBe(true);
  expect(decodeRequest({ ...ok, stream: true }).includeUsage).toBe(false);
});

describe('passed on in its own format', () => {
  const relay = (body: Record<string, unknown>, more: Partial<TargetContext> = {}) =>
    encodeRequest(decodeRequest(body), { ...target, ...more }).body;

  test('only the model changes, and the pin is removed', () => {
    const body = { ...ok, provider: 'provider_a', tomorrow: { a: [1] }, temperature: null };
    const { provider: _, ...rest } = body;
    expect(relay(body)).toEqual({ ...rest, model: 'up' });
  });

  test('a stream always asks for usage, and keeps its other options', () => {
    const body = { ...ok, stream: true, stream_options: { include_obfuscation: false } };
    expect(relay(body)['stream_options']).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
  });

  test.each([
    ['max_tokens', { max_tokens: 100 }, 'PROVIDER_A'],
    ['max_completion_tokens', { max_completion_tokens: 100 }, 'PROVIDER_D'],
    ['max_completion_tokens', {}, 'PROVIDER_A'],
    ['max_completion_tokens', {}, 'PROVIDER_F'],
    ['max_tokens', {}, 'PROVIDER_D'],
    ['max_tokens', {}, 'CUSTOM'],
  ] as const)('the held bound is sent as %s for %j to %s', (field, given, providerType) => {
    const body = relay({ ...ok, ...given }, { providerType, maxOutputTokens: 50 });
    expect(body).toEqual({ ...ok, model: 'up', [field]: 50 });
  });

  test('the payload of the client is not changed', () => {
    const body = { ...ok, stream: true };
    const before = structuredClone(body);
    relay(body, { maxOutputTokens: 5 });
    expect(body).toEqual(before);
  });
});

describe('encoded from another format', () => {
  const request = (more: Partial<NormalisedRequest>): NormalisedRequest => ({
    ...decodeRequest(ok),
    format: 'unified',
    ...more,
  });

  test('fields that cannot be expressed are reported, each once', () => {
    const { dropped } = encodeRequest(
      request({
        sampling: { topK: 5 },
        extras: { odd: 1 },
        metadata: { n: 1 },
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                toolCallId: 'c',
                content: [{ type: 'file', url: 'https://x.test/a.pdf' }],
                isError: true,
              },
              { type: 'thinking', text: 'x' },
              { type: 'thinking', text: 'y' },
              { type: 'other', kind: 'video', raw: {} },
            ],
          },
        ],
      }),
      target,
    );
    expect(dropped).toEqual([
      'odd',
      'messages[0].tool_result.file',
      'messages[0].thinking',
      'messages[0].video',
      'top_k',
      'metadata.n',
    ]);
  });

  test('a strict client is refused instead', () => {
    const encode = () =>
      encodeRequest(request({ sampling: { topK: 5 } }), { ...target, strict: true });
    expect(encode).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'top_k' }) as Error,
    );
  });

  test('tool results come before the user text of the same turn', () => {
    const content = [
      { type: 'text' as const, text: 'and?' },
      {
        type: 'tool_result' as const,
        toolCallId: 'c',
        content: [{ type: 'text' as const, text: 'r' }],
      },
    ];
    const { body } = encodeRequest(request({ messages: [{ role: 'user', content }] }), target);
    expect(body['messages']).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'user', content: 'and?' },
    ]);
  });

  test('a server without developer messages gets a system message', () => {
    const messages = [
      { role: 'developer' as const, content: [{ type: 'text' as const, text: 'x' }] },
    ];
    const { body } = encodeRequest(request({ messages }), {
      ...target,
      providerType: 'PROVIDER_D',
    });
    expect(body['messages']).toEqual([{ role: 'system', content: 'x' }]);
  });
});

test('citations that a client returns are reported where they cannot be sent', () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }];
  const ask = (annotated: object) => {
    const said = { role: 'assistant', content: 'Yes.', ...annotated };
    return decodeRequest({ model: 'm', messages: [said, ...messages] }).extras;
  };
  expect(ask({ annotations: [] })).toEqual({});
  expect(ask({ annotations })).toEqual({ 'messages[0].annotations': annotations });
});
