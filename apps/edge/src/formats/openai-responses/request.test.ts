import { GatewayError } from '@tollgate/contracts';

import type { TargetContext } from '../format';
import type { ContentBlock, JsonObject, NormalisedMessage, NormalisedRequest } from '../normalised';
import { encodeRequest as encodeAsChat } from '../openai-chat/request';
import { writeSeal } from '../seals';
import { encodeRequest as encodeAsUnified } from '../unified/request';
import { decodeRequest, encodeRequest } from './request';
import { itemSeal } from './seal';

const ok = { model: 'm', input: 'Hi' };
const target: TargetContext = { providerType: 'PROVIDER_A', model: 'up', strict: false };

function refusal(act: () => unknown): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const item = (item: JsonObject): JsonObject => ({ model: 'm', input: [item] });
const part = (part: JsonObject): JsonObject => item({ role: 'user', content: [part] });

test.each([
  [{}, 'model'],
  [{ model: '', input: 'x' }, 'model'],
  [{ model: 'm' }, 'input'],
  [{ model: 'm', input: null }, 'input'],
  [{ model: 'm', input: [] }, 'input'],
  [{ model: 'm', input: 5 }, 'input'],
  [{ model: 'm', input: ['x'] }, 'input[0]'],
  [item({}), 'input[0].type'],
  [item({ role: 'owner', content: 'x' }), 'input[0].role'],
  [item({ role: 'user' }), 'input[0].content'],
  [item({ role: 'user', content: 5 }), 'input[0].content'],
  [item({ type: 'function_call', name: 'f', arguments: '' }), 'input[0].call_id'],
  [item({ type: 'function_call', call_id: 'c', arguments: '' }), 'input[0].name'],
  [item({ type: 'custom_tool_call', call_id: 'c', name: 'f' }), 'input[0].input'],
  [item({ type: 'function_call_output', call_id: 'c' }), 'input[0].output'],
  [part({ text: 'x' }), 'input[0].content[0].type'],
  [part({ type: 'input_text' }), 'input[0].content[0].text'],
  [
    part({ type: 'input_audio', input_audio: { data: 'x' } }),
    'input[0].content[0].input_audio.format',
  ],
  [{ ...ok, temperature: 'hot' }, 'temperature'],
  [{ ...ok, max_output_tokens: 0 }, 'max_output_tokens'],
  [{ ...ok, stream: 'yes' }, 'stream'],
  [{ ...ok, tools: [{ type: 'function' }] }, 'tools[0].name'],
  [{ ...ok, tools: [{ type: 'function', name: 'f', parameters: [] }] }, 'tools[0].parameters'],
  [{ ...ok, tools: [{ name: 'f' }] }, 'tools[0].type'],
  [{ ...ok, tool_choice: 'maybe' }, 'tool_choice'],
  [{ ...ok, tool_choice: { type: 'function' } }, 'tool_choice.name'],
  [{ ...ok, text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema'],
  [{ ...ok, reasoning: 'much' }, 'reasoning'],
  [{ ...ok, include: 'all' }, 'include'],
])('%j is refused for %s', (body, param) => {
  const error = refusal(() => decodeRequest(body));
  expect(error).toMatchObject({ code: 'invalid_request', status: 400, param });
  expect(error.message).toContain(param);
});

test('null counts as absent', () => {
  const nothing = { temperature: null, tools: null, stream: null, text: null, reasoning: null };
  const request = decodeRequest({ ...ok, ...nothing, instructions: null, conversation: null });
  expect(request).toMatchObject({ sampling: {}, tools: [], stream: false, extras: {} });
});

test('default values are not extras', () => {
  const said = { store: false, background: false, truncation: 'disabled', top_logprobs: 0 };
  const include = ['reasoning.encrypted_content', 'message.output_text.logprobs'];
  const stream_options = { include_obfuscation: false };
  const request = decodeRequest({ ...ok, ...said, include, stream_options });
  expect(request.extras).toEqual({});
  expect(request.sampling).toEqual({ logprobs: true });
});

test('the items of a turn are one message, and each call’s result is its own', () => {
  const request = decodeRequest({
    model: 'm',
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'free', input: 'any' },
      { type: 'function_call_output', call_id: 'c1', output: 'a cat' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,x' }],
      },
    ],
  });
  expect(request.messages).toEqual<NormalisedMessage[]>([
    { role: 'system', path: 'instructions', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'developer', path: 'input[0]', content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'user', path: 'input[1]', content: [{ type: 'text', text: 'Look.' }] },
    {
      role: 'assistant',
      path: 'input[2]',
      content: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', id: 'c1', kind: 'function', name: 'look', arguments: '{}' },
        { type: 'tool_call', id: 'c2', kind: 'custom', name: 'free', arguments: 'any' },
      ],
    },
    {
      role: 'tool',
      path: 'input[6]',
      content: [
        { type: 'tool_result', toolCallId: 'c1', content: [{ type: 'text', text: 'a cat' }] },
      ],
    },
    {
      role: 'tool',
      path: 'input[7]',
      content: [
        {
          type: 'tool_result',
          toolCallId: 'c2',
          content: [{ type: 'image', url: 'data:image/png;base64,x' }],
        },
      ],
    },
  ]);
});

describe('state that the provider stores', () => {
  const reference = item({ type: 'item_reference', id: 'msg_1' });
  const cases: [JsonObject, string][] = [
    [{ ...ok, previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ ...ok, conversation: 'conv_1' }, 'conversation'],
    [{ ...ok, conversation: { id: 'conv_1' } }, 'conversation'],
    [{ ...ok, background: true }, 'background'],
    [{ model: 'm', prompt: { id: 'pmpt_1' } }, 'prompt'],
    [reference, 'input[0].item_reference'],
    [item({ id: 'msg_1' }), 'input[0].item_reference'],
    [item({ type: 'compaction', encrypted_content: 'x' }), 'input[0].compaction'],
  ];

  test.each(cases)('%j is refused without stored state, strict or not: %s', (body, param) => {
    for (const encode of [encodeAsChat, encodeAsUnified]) {
      const error = refusal(() => encode(decodeRequest(body), target));
      expect(error).toMatchObject({ code: 'unsupported_parameter', status: 400, param });
    }
  });

  test.each(cases)('%j is passed on', (body) => {
    expect(encodeRequest(decodeRequest(body), target).body).toEqual({ ...body, model: 'up' });
  });

  test('store is dropped and reported by other formats', () => {
    const stored = decodeRequest({ ...ok, store: true });
    expect(encodeAsChat(stored, target).dropped).toEqual(['store']);
  });

  test('metadata may have the names of refused fields', () => {
    const metadata = { prompt: 1, conversation: 2 };
    const request: NormalisedRequest = { ...decodeRequest(ok), format: 'unified', metadata };
    expect(encodeRequest(request, target).dropped).toEqual([
      'metadata.prompt',
      'metadata.conversation',
    ]);
  });
});

test('fields that only this format has are reported by their position', () => {
  const body = {
    model: 'm',
    input: [
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { role: 'assistant', content: 'x', phase: 'commentary' },
      { role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
    ],
    tools: [{ type: 'web_search' }, { type: 'function', name: 'f', defer_loading: true }],
    tool_choice: { type: 'mcp', server_label: 's' },
    include: ['web_search_call.results'],
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low' },
    truncation: 'auto',
    max_tool_calls: 3,
    prompt_cache_key: 'k',
    user: 'u',
    safety_identifier: 's',
  };
  expect(Object.keys(decodeRequest(body).extras).sort()).toEqual([
    'include[0]',
    'input[0].web_search_call',
    'input[1].phase',
    'input[3].encrypted_content',
    'max_tool_calls',
    'prompt_cache_key',
    'reasoning.summary',
    'safety_identifier',
    'text.verbosity',
    'tool_choice',
    'tools[0]',
    'tools[1].defer_loading',
    'truncation',
  ]);
  expect(decodeRequest(body)).toMatchObject({ endUser: 'u', reasoningEffort: 'low' });
  const dropped = decodeRequest(body).messages.flatMap(({ content }) => content);
  expect(dropped).toContainEqual(expect.objectContaining({ type: 'other', kind: 'input_image' }));
});

test.each([
  ['auto', [], []],
  ['none', [], []],
  ['required', [], ['tool_choice']],
  ['required', [{ type: 'web_search' }], ['tools[0]', 'tool_choice']],
])('the tool choice %s without functions is dropped: %j', (tool_choice, tools, extras) => {
  const request = decodeRequest({ ...ok, tools, tool_choice, parallel_tool_calls: true });
  expect(request).not.toHaveProperty('toolChoice');
  expect(request).not.toHaveProperty('parallelToolCalls');
  expect(Object.keys(request.extras)).toEqual(extras);
});

describe('passed on in its own format', () => {
  const relay = (body: JsonObject, more: Partial<TargetContext> = {}) =>
    encodeRequest(decodeRequest(body), { ...target, ...more });

  test('only the model and the bound change, and the pin is removed', () => {
    const body = { ...ok, tomorrow: { a: [1] }, temperature: null, store: true };
    const sent = relay({ ...body, provider: 'provider_a' }, { maxOutputTokens: 50 });
    expect(sent).toEqual({
      body: { ...body, model: 'up', max_output_tokens: 50 },
      dropped: [],
    });
  });

  test('the payload of the client is not changed', () => {
    const body = { ...ok, stream: true };
    const before = structuredClone(body);
    relay(body, { maxOutputTokens: 5 });
    expect(body).toEqual(before);
  });

  test('reasoning that another vendor sealed is not sent, and is reported', () => {
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' };
    const foreign = {
      ...own,
      encrypted_content: writeSeal(
        { signature: 'EqQB', sealedBy: 'anthropic-messages' },
        'openai-responses',
      ),
    };
    const body = { model: 'm', input: [foreign, own, { role: 'user', content: 'x' }] };
    expect(relay(body)).toEqual({
      body: { model: 'up', input: body.input.slice(1) },
      dropped: ['input[0]'],
    });
  });
});

describe('encoded from another format', () => {
  const request = (more: Partial<NormalisedRequest>): NormalisedRequest => ({
    ...decodeRequest({ ...ok, input: 'Hi' }),
    format: 'unified',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    ...more,
  });
  const turn = (...content: ContentBlock[]): NormalisedMessage => ({ role: 'assistant', content });
  const inputOf = (messages: NormalisedMessage[], more: Partial<TargetContext> = {}) =>
    encodeRequest(request({ messages }), { ...target, ...more });

  test('fields that cannot be expressed are reported, each once', () => {
    const { dropped } = encodeRequest(
      request({
        n: 2,
        sampling: { topK: 5, stop: ['END'], seed: 1, presencePenalty: 1, frequencyPenalty: 0 },
        extras: { odd: 1 },
        metadata: { n: 1 },
        modalities: ['text', 'audio'],
        messages: [
          {
            role: 'user',
            name: 'ann',
            content: [
              {
                type: 'tool_result',
                toolCallId: 'c',
                content: [{ type: 'audio', data: 'x' }],
                isError: true,
              },
              { type: 'audio', data: 'x', format: 'wav' },
            ],
          },
          turn({ type: 'thinking', text: 'x' }, { type: 'thinking', text: 'y' }),
        ],
      }),
      target,
    );
    expect(dropped).toEqual([
      'odd',
      'n',
      'presence_penalty',
      'top_k',
      'stop',
      'seed',
      'modalities',
      'messages[0].name',
      'messages[0].tool_result.audio',
      'messages[0].audio',
      'messages[1].thinking',
      'metadata.n',
    ]);
  });

  test('a strict client is refused instead', () => {
    const encode = () => encodeRequest(request({ n: 2 }), { ...target, strict: true });
    expect(refusal(encode)).toMatchObject({ code: 'unsupported_parameter', param: 'n' });
  });

  test('a compatible server gets more fields', () => {
    const sampling = { topK: 5, stop: ['END'], seed: 1, logitBias: { '5': 1 } };
    const messages: NormalisedMessage[] = [
      { role: 'developer', content: [{ type: 'text', text: 'x' }] },
      { role: 'user', content: [{ type: 'audio', data: 'x', format: 'wav' }] },
      turn({ type: 'thinking', text: 'Hm.' }, { type: 'text', text: 'Yes.' }),
    ];
    const { body, dropped } = encodeRequest(request({ sampling, messages }), {
      ...target,
      providerType: 'PROVIDER_D',
    });
    expect(dropped).toEqual([]);
    expect(body).toMatchObject({
      top_k: 5,
      stop: ['END'],
      seed: 1,
      logit_bias: { '5': 1 },
      input: [
        { role: 'system' },
        { role: 'user', content: [{ type: 'input_audio' }] },
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { role: 'assistant', content: 'Yes.' },
      ],
    });
  });

  test('leading system text becomes the instructions', () => {
    const system: NormalisedMessage = { role: 'system', content: [{ type: 'text', text: 'x' }] };
    const { body } = inputOf([system, system]);
    expect(body).toMatchObject({
      instructions: 'x',
      input: [{ type: 'message', role: 'system', content: 'x' }],
    });
  });

  test('a result has the type of its call', () => {
    const call = (id: string, kind: 'function' | 'custom'): ContentBlock => ({
      type: 'tool_call',
      id,
      kind,
      name: 'f',
      arguments: '',
    });
    const result = (toolCallId: string): ContentBlock => ({
      type: 'tool_result',
      toolCallId,
      content: [{ type: 'text', text: 'r' }],
    });
    const { body } = inputOf([
      turn(call('a', 'function'), call('b', 'custom')),
      { role: 'user', content: [{ type: 'text', text: 'and?' }, result('b'), result('a')] },
    ]);
    expect(body['input']).toEqual([
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '' },
      { type: 'custom_tool_call', call_id: 'b', name: 'f', input: '' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'r' },
      { type: 'function_call_output', call_id: 'a', output: 'r' },
      { type: 'message', role: 'user', content: 'and?' },
    ]);
  });

  test('a sealed item returns unchanged through other formats', () => {
    const seal = itemSeal('rs_1', 'gAAAAx');
    const { body, dropped } = inputOf([
      turn({ type: 'thinking', text: 'Hm.', ...seal }, { type: 'thinking', text: '', ...seal }),
    ]);
    expect(dropped).toEqual([]);
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAAAx' };
    expect(body['input']).toEqual([
      { ...item, summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { ...item, summary: [] },
    ]);
  });

  test.each([
    ['gpt-4o', {}, undefined],
    ['gpt-5-chat-latest', {}, undefined],
    ['gpt-5.6-sol', {}, ['reasoning.encrypted_content']],
    ['openai/o3-mini', {}, ['reasoning.encrypted_content']],
    ['my-deployment', { reasoningEffort: 'low' }, ['reasoning.encrypted_content']],
    ['my-deployment', { reasoningEffort: 'none' }, undefined],
  ])('%s with %j gets the include %j', (model, more, include) => {
    const { body } = encodeRequest(request(more), { ...target, model });
    expect(body).toMatchObject({ store: false });
    expect(body['include']).toEqual(include);
  });

  test('a function is strict only if the client sets it', () => {
    const { body } = encodeRequest(
      request({
        tools: [
          { kind: 'function', name: 'f' },
          { kind: 'function', name: 'g', strict: true, parameters: { type: 'object' } },
          {
            kind: 'custom',
            name: 'h',
            inputFormat: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        ],
      }),
      target,
    );
    expect(body['tools']).toEqual([
      { type: 'function', name: 'f', parameters: null, strict: false },
      { type: 'function', name: 'g', parameters: { type: 'object' }, strict: true },
      {
        type: 'custom',
        name: 'h',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
    ]);
  });
});
