// The `thinking` field of clients of every format, at every kind of upstream.

import { GatewayError } from '@tollgate/contracts';

import { FORMATS, type FormatName, type JsonObject, type TargetContext } from '.';

const messages = [{ role: 'user', content: 'Hi' }];

const TARGETS = {
  openai: ['openai-chat', 'PROVIDER_A', 'gpt-5'],
  responses: ['openai-responses', 'PROVIDER_A', 'gpt-5'],
  vllm: ['openai-chat', 'PROVIDER_D', 'qwen3'],
  compatible: ['openai-chat', 'CUSTOM', 'glm-5'],
  budgets: ['anthropic-messages', 'PROVIDER_B', 'claude-sonnet-4-5'],
  both: ['anthropic-messages', 'PROVIDER_B', 'claude-opus-4-6'],
  adaptive: ['anthropic-messages', 'PROVIDER_B', 'claude-opus-5'],
  gemini: ['gemini-generate', 'PROVIDER_C', 'gemini-3-flash'],
} as const satisfies Record<string, readonly [FormatName, TargetContext['providerType'], string]>;
type Target = keyof typeof TARGETS;

function send(body: JsonObject, to: Target, from: FormatName = 'openai-chat', strict = false) {
  const [format, providerType, model] = TARGETS[to];
  const request = FORMATS[from].decodeRequest(
    { model: 'm', max_tokens: 32_000, messages, ...body },
    {},
  );
  return FORMATS[format].encodeRequest(request, { providerType, model, strict });
}

const enabled = (budget_tokens: number, more: JsonObject = {}) => ({
  thinking: { type: 'enabled', budget_tokens, ...more },
});

describe.each(['openai-chat', 'unified'] as const)('%s', (from) => {
  test.each<[JsonObject, Target]>([
    [{ type: 'enabled', budget_tokens: 5_000 }, 'budgets'],
    [{ type: 'enabled', budget_tokens: 5_000, display: 'summarized' }, 'both'],
    [{ type: 'adaptive' }, 'both'],
    [{ type: 'adaptive', display: 'omitted' }, 'adaptive'],
    [{ type: 'disabled' }, 'budgets'],
    [{ type: 'disabled' }, 'both'],
    [{ type: 'disabled' }, 'adaptive'],
    [{ type: 'between_tools', depth: 2 }, 'adaptive'],
  ])('%j reaches Anthropic unchanged (%s)', (thinking, target) => {
    const { body, dropped } = send({ thinking }, target, from, true);
    expect(body['thinking']).toEqual(thinking);
    expect(dropped).toEqual([]);
  });

  test.each<[Target, JsonObject, JsonObject, string[]]>([
    ['adaptive', enabled(8_192), { thinking: { type: 'adaptive' } }, []],
    ['adaptive', enabled(5_000), { output_config: { effort: 'medium' } }, ['thinking']],
    [
      'budgets',
      enabled(40_000),
      { thinking: { type: 'enabled', budget_tokens: 25_600 } },
      ['thinking'],
    ],
    [
      'budgets',
      enabled(100),
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      ['thinking'],
    ],
    [
      'budgets',
      { thinking: { type: 'adaptive' } },
      { thinking: { type: 'enabled', budget_tokens: 8_192 } },
      ['thinking'],
    ],
    ['both', { thinking: { type: 'enabled' } }, { thinking: { type: 'adaptive' } }, []],
    ['responses', enabled(8_192), { reasoning: { effort: 'medium' } }, []],
    [
      'responses',
      enabled(20_000, { display: 'omitted' }),
      { reasoning: { effort: 'high' } },
      ['thinking', 'thinking.display'],
    ],
    [
      'gemini',
      enabled(5_000),
      { generationConfig: { thinkingConfig: { thinkingBudget: 5_000, includeThoughts: true } } },
      [],
    ],
    ['openai', enabled(2_048), { reasoning_effort: 'low' }, []],
    ['openai', { thinking: { type: 'adaptive' } }, { reasoning_effort: 'medium' }, []],
    ['openai', { thinking: { type: 'disabled' } }, { reasoning_effort: 'minimal' }, ['thinking']],
    ['vllm', enabled(5_000), { reasoning_effort: 'medium' }, ['thinking']],
    [
      'vllm',
      { thinking: { type: 'disabled' } },
      { chat_template_kwargs: { enable_thinking: false } },
      [],
    ],
  ])('at %s %j becomes %j, with %j reported as dropped', (target, wish, wanted, named) => {
    const { body, dropped } = send(wish, target, from);
    expect(body).toMatchObject(wanted);
    expect(dropped).toEqual(named);
    if (target === 'openai' || target === 'vllm') expect(body).not.toHaveProperty('thinking');
  });

  test.each<[unknown, string]>([
    [true, 'thinking'],
    [{}, 'thinking.type'],
    [{ type: 'enabled', budget_tokens: 'many' }, 'thinking.budget_tokens'],
    [{ type: 'enabled', budget_tokens: 0 }, 'thinking.budget_tokens'],
    [{ type: 'enabled', budget_tokens: 1.5 }, 'thinking.budget_tokens'],
  ])('%j is refused at %s', (thinking, param) => {
    expect(paramOf(() => send({ thinking }, 'both', from))).toBe(param);
  });

  test('an inexact mapping is refused, with the name of the field, if the client is strict', () => {
    expect(paramOf(() => send(enabled(5_000), 'openai', from, true))).toBe('thinking');
    expect(paramOf(() => send(enabled(64_000), 'budgets', from, true))).toBe('thinking');
  });

  test('parameters that Anthropic refuses with thinking are dropped and reported', () => {
    const { body, dropped } = send(
      { ...enabled(5_000), temperature: 0.2, top_p: 0.5, top_k: 5 },
      'budgets',
      from,
    );
    expect(body).toMatchObject(enabled(5_000));
    expect(dropped).toEqual(['temperature', 'top_p', 'top_k']);
    const off = send({ thinking: { type: 'disabled' }, temperature: 0.2 }, 'budgets', from);
    expect(off.body).toMatchObject({ thinking: { type: 'disabled' }, temperature: 0.2 });
    expect(off.dropped).toEqual([]);
  });

  test('a forced call and a prefilled answer exclude thinking', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const forced = send({ ...enabled(5_000), tools, tool_choice: 'required' }, 'both', from);
    expect(forced.body).not.toHaveProperty('thinking');
    expect(forced.body['tool_choice']).toEqual({ type: 'any' });
    expect(forced.dropped).toEqual(['thinking']);
    const begun = [...messages, { role: 'assistant', content: 'It is' }];
    const { body, dropped } = send({ ...enabled(5_000), messages: begun }, 'budgets', from);
    expect(body).not.toHaveProperty('thinking');
    expect(dropped).toEqual(['thinking']);
  });

  test.each<[boolean, Target, JsonObject]>([
    [false, 'openai', { reasoning_effort: 'minimal' }],
    [false, 'gemini', { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } }],
    [false, 'adaptive', { thinking: { type: 'disabled' } }],
    [true, 'adaptive', { thinking: { type: 'adaptive' } }],
  ])('a template’s enable_thinking: %s reaches %s', (enable_thinking, target, wanted) => {
    const sent = send({ chat_template_kwargs: { enable_thinking, other: 1 } }, target, from);
    expect(sent.body).toMatchObject(wanted);
    expect(sent.dropped).toContain('chat_template_kwargs.other');
  });
});

test('a compatible server of the chat format gets a chat request unchanged', () => {
  const wish = { ...enabled(5_000, { display: 'omitted' }), reasoning_effort: 'max' };
  const { body, dropped } = send(wish, 'compatible', 'openai-chat', true);
  expect(body).toMatchObject(wish);
  expect(dropped).toEqual([]);
});

test('a chat request without the field reaches the vendor unchanged', () => {
  const wish = { reasoning_effort: 'ultra' };
  expect(send(wish, 'openai', 'openai-chat', true)).toMatchObject({ body: wish, dropped: [] });
});

test('an effort takes precedence over a budget at OpenAI, and a different budget is reported', () => {
  const both = { ...enabled(20_000), reasoning_effort: 'low' };
  const { body, dropped } = send(both, 'openai');
  expect(body).toMatchObject({ reasoning_effort: 'low' });
  expect(dropped).toEqual(['thinking']);
  expect(send({ ...both, ...enabled(2_048) }, 'openai').dropped).toEqual([]);
});

test('thinking that is turned off takes precedence over an effort', () => {
  const off = { thinking: { type: 'disabled' }, reasoning_effort: 'high' };
  const { body, dropped } = send(off, 'vllm');
  expect(body).toMatchObject({ chat_template_kwargs: { enable_thinking: false } });
  expect(body).not.toHaveProperty('reasoning_effort');
  expect(dropped).toEqual(['reasoning_effort']);
});

test('other template arguments remain when thinking is turned off', () => {
  const { body } = send(
    { thinking: { type: 'disabled' }, chat_template_kwargs: { tone: 'dry' } },
    'vllm',
  );
  expect(body['chat_template_kwargs']).toEqual({ tone: 'dry', enable_thinking: false });
});

function paramOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error.param;
    throw error;
  }
  throw new Error('was not refused');
}
