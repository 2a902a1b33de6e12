import { gatewayError } from '@tollgate/contracts';

import type { TargetContext } from '../format';
import type { JsonObject, NormalisedRequest } from '../normalised';
import { decodeTokenCountRequest, encodeTokenCount } from './count-tokens';
import { decodeRequest, encodeRequest } from './request';

const plain = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const target: TargetContext = { providerType: 'PROVIDER_B', model: 'claude-opus-5', strict: false };

const decode = (fields: JsonObject): NormalisedRequest => decodeRequest({ ...plain, ...fields });
/** A request as decoded from another format. */
const foreign = (fields: Partial<NormalisedRequest>): NormalisedRequest => ({
  format: 'openai-chat',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  sampling: {},
  n: 1,
  stream: false,
  includeUsage: false,
  extras: {},
  raw: {},
  ...fields,
});
const encode = (fields: Partial<NormalisedRequest>, to: Partial<TargetContext> = {}) =>
  encodeRequest(foreign(fields), { ...target, ...to });
const tool = { kind: 'function', name: 'look', parameters: { type: 'object' } } as const;

describe('decoded', () => {
  test('a system prompt, as text or as blocks, is the first message', () => {
    expect(decode({ system: 'Be brief' }).messages[0]).toEqual({
      role: 'system',
      path: 'system',
      content: [{ type: 'text', text: 'Be brief' }],
    });
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const blocks = decode({ system: [{ type: 'text', text: 'Be', cache_control }] });
    expect(blocks.messages[0]?.content).toEqual([{ type: 'text', text: 'Be' }]);
    expect(blocks.extras).toEqual({ 'system[0].cache_control': cache_control });
  });

  test.each([
    [{ type: 'auto' }, { toolChoice: { mode: 'auto' } }],
    [{ type: 'any' }, { toolChoice: { mode: 'required' } }],
    [{ type: 'none' }, { toolChoice: { mode: 'none' } }],
    [
      { type: 'tool', name: 'look', disable_parallel_tool_use: true },
      {
        toolChoice: { mode: 'tool', tool: { kind: 'function', name: 'look' } },
        parallelToolCalls: false,
      },
    ],
  ])('the tool choice %j', (tool_choice, wanted) => {
    expect(decode({ tool_choice })).toMatchObject(wanted);
  });

  test('calls, results, and thinking with its seal', () => {
    const { messages, extras } = decode({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'seal' },
            { type: 'redacted_thinking', data: 'xx' },
            {
              type: 'tool_use',
              id: 't1',
              name: 'look',
              input: { at: 1 },
              caller: { type: 'direct' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [
                { type: 'text', text: 'no' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
              ],
            },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
    });
    expect(messages.map(({ content }) => content)).toEqual([
      [
        { type: 'thinking', text: 'Hm', signature: 'seal', sealedBy: 'anthropic-messages' },
        { type: 'thinking', text: '', redacted: 'xx', sealedBy: 'anthropic-messages' },
        { type: 'tool_call', id: 't1', kind: 'function', name: 'look', arguments: '{"at":1}' },
      ],
      [
        {
          type: 'tool_result',
          toolCallId: 't1',
          isError: true,
          content: [
            { type: 'text', text: 'no' },
            { type: 'image', url: 'data:image/png;base64,AA' },
          ],
        },
        { type: 'text', text: 'So?' },
      ],
    ]);
    expect(extras).toEqual({});
  });

  test('documents: inline, stored and as text; fields that only this format has are extras', () => {
    const content = [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
        title: 'a.pdf',
        context: 'old',
        citations: { enabled: true },
      },
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Text' } },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      {
        type: 'search_result',
        source: 's',
        title: 'T',
        content: [{ type: 'text', text: 'found' }],
      },
    ];
    const { messages, extras } = decode({ messages: [{ role: 'user', content }] });
    expect(messages[0]?.content).toEqual([
      { type: 'file', data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
      { type: 'file', fileId: 'file_1' },
      { type: 'text', text: 'Text' },
      { type: 'file', url: 'https://x.test/a.pdf' },
      { type: 'text', text: 'T\ns\nfound' },
    ]);
    expect(extras).toEqual({
      'messages[0].content[0].context': 'old',
      'messages[0].content[0].citations': { enabled: true },
    });
  });

  test('fields that other formats lack are extras, by their path', () => {
    const { extras, reasoningBudget, ...rest } = decode({
      thinking: { type: 'enabled', budget_tokens: 2048 },
      tools: [
        { name: 'look', input_schema: { type: 'object' }, defer_loading: true },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } },
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
      container: 'c',
      messages: [...plain.messages, { role: 'assistant', content: 'Well,' }],
    });
    expect(Object.keys(extras).sort()).toEqual([
      'container',
      'messages[1].prefill',
      'thinking',
      'tools[0].defer_loading',
      'tools[1]',
    ]);
    expect(reasoningBudget).toEqual({ tokens: 2048, path: 'thinking' });
    expect(rest.paths).toMatchObject({ stop: 'stop_sequences' });
    expect(rest).toMatchObject({
      tools: [tool],
      reasoningEffort: 'high',
      responseFormat: { type: 'json_schema', schema: {} },
      endUser: 'u',
      serviceTier: 'default',
    });
  });

  test.each([
    [{ max_tokens: null }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64' } }] }] },
      'messages[0].content[0].source.media_type',
    ],
    [{ tools: [{ name: 'x' }] }, 'tools[0].input_schema'],
    [{ tool_choice: { type: 'some' } }, 'tool_choice.type'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
  ])('%j is refused at %s', (fields, param) => {
    expect(() => decode(fields)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }) as Error,
    );
  });

  test('a token count request needs no output bound, and its answer is a number', () => {
    const { model, messages } = plain;
    expect(decodeTokenCountRequest({ model, messages }).messages).toHaveLength(1);
    expect(encodeTokenCount(12)).toEqual({ input_tokens: 12 });
  });
});

describe('to its own format', () => {
  test('every field stays, except the model, the bound and the pin', () => {
    const body = {
      ...plain,
      provider: 'provider_b',
      system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      mcp_servers: [{ url: 'https://x.test' }],
      messages: [{ role: 'user', content: [{ type: 'new_kind', x: 1 }] }],
    };
    const encoded = encodeRequest(decodeRequest(body), { ...target, maxOutputTokens: 7 });
    const { provider: _, ...rest } = body;
    expect(encoded.body).toEqual({ ...rest, model: 'claude-opus-5', max_tokens: 7 });
    expect(encoded.dropped).toEqual([]);
  });

  test('a request with a bound of zero, which only warms the cache, is sent with zero', () => {
    const request = decode({ max_tokens: 0 });
    expect(request.maxOutputTokens).toBe(1);
    const { body } = encodeRequest(request, { ...target, maxOutputTokens: 1 });
    expect(body['max_tokens']).toBe(0);
  });

  test('thinking and citations without a seal are not sent to the vendor; its own blocks are sent unchanged', () => {
    const own = { type: 'thinking', thinking: 'Hm', signature: 'seal', extra: 1 };
    const messages = [
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: '' }, own] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'x', citations: [{ url: 'u', encrypted_index: '' }] }],
      },
    ];
    const sent = (providerType: TargetContext['providerType']) =>
      encodeRequest(decode({ messages }), { ...target, providerType }).body['messages'];
    expect(sent('PROVIDER_B')).toEqual([
      { role: 'assistant', content: [own] },
      { role: 'assistant', content: [{ type: 'text', text: 'x', citations: null }] },
    ]);
    expect(sent('CUSTOM')).toBe(messages);
  });
});

describe('from another format', () => {
  test('the bound is the held one, the client’s own, or one that every model allows', () => {
    const bound = (fields: Partial<NormalisedRequest>, to: Partial<TargetContext> = {}) =>
      encode(fields, to).body['max_tokens'];
    expect(bound({ maxOutputTokens: 5 }, { maxOutputTokens: 4 })).toBe(4);
    expect(bound({ maxOutputTokens: 5 })).toBe(5);
    expect(bound({})).toBe(8_192);
  });

  test('results of parallel calls are one turn, before the user’s text', () => {
    const result = (toolCallId: string) => ({
      role: 'tool' as const,
      content: [
        {
          type: 'tool_result' as const,
          toolCallId,
          content: [{ type: 'text' as const, text: 'r' }],
        },
      ],
    });
    const { body, dropped } = encode({
      tools: [tool],
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_call', id: 'a:0', kind: 'function', name: 'look', arguments: '{"x":1}' },
            { type: 'tool_call', id: 'b', kind: 'function', name: 'look', arguments: '' },
          ],
        },
        result('a:0'),
        result('b'),
        { role: 'user', content: [{ type: 'text', text: 'So?' }] },
      ],
    });
    expect(body['system']).toBe('Be brief');
    expect(body['messages']).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a_0', name: 'look', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a_0', content: 'r' },
          { type: 'tool_result', tool_use_id: 'b', content: 'r' },
          { type: 'text', text: 'So?' },
        ],
      },
    ]);
    expect(dropped).toEqual([]);
  });

  test.each([
    [{ toolChoice: { mode: 'required' } }, { type: 'any' }],
    [{ toolChoice: { mode: 'none' }, parallelToolCalls: false }, { type: 'none' }],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ toolChoice: { mode: 'allowed', require: true, tools: [tool] } }, { type: 'any' }],
  ] as const)('the choice %j', (fields, tool_choice) => {
    const other = { ...tool, name: 'other' };
    const { body } = encode({ tools: [tool, other], ...(fields as object) });
    expect(body['tool_choice']).toEqual(tool_choice);
    const allowed = 'toolChoice' in fields && fields.toolChoice.mode === 'allowed';
    expect(body['tools']).toHaveLength(allowed ? 1 : 2);
  });

  test('tools that were called but are no longer offered are declared and forbidden', () => {
    const call = {
      type: 'tool_call',
      id: 'a',
      kind: 'function',
      name: 'f',
      arguments: '{}',
    } as const;
    const { body } = encode({ messages: [{ role: 'assistant', content: [call] }] });
    expect(body).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  test('an open schema is closed', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: {} } } },
      $defs: { d: { type: 'object', additionalProperties: true } },
    };
    const { body, dropped } = encode({
      responseFormat: { type: 'json_schema', name: 'n', schema },
    });
    // A closed object without properties accepts no keys, so the loss is reported.
    expect(dropped).toEqual([expect.stringMatching(/schema\.\$defs\.d\.additionalProperties$/)]);
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            a: {
              type: 'array',
              items: { type: 'object', properties: {}, additionalProperties: false },
            },
          },
          $defs: {
            d: {
              type: 'object',
              additionalProperties: false,
              description: 'Constraints: any properties.',
            },
          },
        },
      },
    });
  });

  test('pictures and documents', () => {
    const { body, dropped } = encode({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', url: 'https://x.test/a.png', detail: 'high' },
            { type: 'image', url: 'data:image/jpg;base64,AA' },
            { type: 'image', url: 'gs://bucket/a.png' },
            { type: 'file', data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
            { type: 'file', data: 'data:text/plain;charset=utf-8;base64,SGk=' },
            { type: 'file', fileId: 'f1' },
            { type: 'audio', data: 'AA', format: 'wav' },
          ],
        },
      ],
    });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hi' } },
          { type: 'document', source: { type: 'file', file_id: 'f1' } },
        ],
      },
    ]);
    expect(dropped).toEqual(['messages[0].image.detail', 'messages[0].image', 'messages[0].audio']);
  });

  test('a bare prompt becomes one user message', () => {
    const messages = [
      { role: 'system' as const, content: [{ type: 'text' as const, text: 'Do' }] },
    ];
    const { body } = encode({ messages });
    expect(body['messages']).toEqual([{ role: 'user', content: 'Do' }]);
    expect(body).not.toHaveProperty('system');
  });

  test('fields that cannot be expressed are reported, and refused if the client is strict', () => {
    const fields: Partial<NormalisedRequest> = {
      n: 2,
      sampling: {
        temperature: 1.5,
        stop: ['\n', 'END'],
        presencePenalty: 1,
        frequencyPenalty: 1,
        seed: 1,
        logitBias: { 1: 1 },
        logprobs: true,
        topLogprobs: 2,
      },
      responseFormat: { type: 'json_object' },
      metadata: { team: 'x', user_id: 'u' },
      serviceTier: 'flex',
      modalities: ['text', 'audio'],
      audioOutput: { voice: 'v' },
      tools: [{ kind: 'custom', name: 'c' }],
      toolChoice: { mode: 'required' },
      extras: { store: true },
    };
    const { body, dropped } = encode(fields);
    expect(body).not.toHaveProperty('temperature');
    expect(body).toMatchObject({
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
    });
    const unsaid = `audio frequency_penalty logit_bias logprobs metadata.team modalities n presence_penalty seed service_tier stop store temperature tool_choice tools[0] top_logprobs`;
    expect(dropped.sort()).toEqual(unsaid.split(' '));
    expect(() => encode(fields, { strict: true })).toThrow(
      expect.objectContaining({ code: gatewayError('unsupported_parameter').code }) as Error,
    );
  });

  test('neutral values are dropped without a report', () => {
    const sampling = { topP: 1, temperature: 0.5, presencePenalty: 0, logprobs: false };
    const model = 'claude-sonnet-4-5';
    const { body, dropped } = encode({ sampling, modalities: ['text'] }, { model });
    expect(dropped).toEqual([]);
    expect(body).toMatchObject({ temperature: 0.5 });
    expect(body).not.toHaveProperty('top_p');
  });

  test.each([
    ['claude-3-5-haiku-20241022', { temperature: 0.5, top_p: 0.9, top_k: 5 }, []],
    ['claude-sonnet-4-5', { temperature: 0.5, top_k: 5 }, ['top_p']],
    ['claude-opus-4-7', {}, ['temperature', 'top_p', 'top_k']],
    ['another-model', { temperature: 0.5, top_p: 0.9, top_k: 5 }, []],
  ])('%s accepts the sampling parameters %j', (model, wanted, dropped) => {
    const sampling = { temperature: 0.5, topP: 0.9, topK: 5 };
    const { body, ...rest } = encode({ sampling }, { model });
    const { temperature, top_p, top_k } = body;
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(wanted);
    expect(rest.dropped).toEqual(dropped);
  });

  test('with thinking, sampling parameters are dropped and reported', () => {
    const asked = { reasoningEffort: 'high', sampling: { topP: 0.5, temperature: 0.5, topK: 5 } };
    const { dropped } = encode(asked, { model: 'another-model' });
    expect(dropped).toEqual(['temperature', 'top_p', 'top_k']);
  });
});
