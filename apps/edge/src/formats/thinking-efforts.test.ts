// Every thinking setting of every client format, at every upstream.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { FORMATS, type FormatName, type JsonObject, type NormalisedRequest } from '.';
import type { TargetContext } from './format';
import {
  effortOf,
  EFFORTS,
  THINKING_EFFORTS,
  thinkingEffort,
  tokensOf,
  type Effort,
} from './thinking-efforts';

const MAX_TOKENS = 64_000;

interface Source {
  format: FormatName;
  body: (wish: JsonObject) => JsonObject;
  model?: string;
}

const messages = [{ role: 'user', content: 'Hi' }];
const SOURCES: Readonly<Record<string, Source>> = {
  chat: {
    format: 'openai-chat',
    body: (wish) => ({ model: 'm', messages, max_tokens: MAX_TOKENS, ...wish }),
  },
  unified: {
    format: 'unified',
    body: (wish) => ({ model: 'm', messages, max_tokens: MAX_TOKENS, ...wish }),
  },
  responses: {
    format: 'openai-responses',
    body: (wish) => ({ model: 'm', input: 'Hi', max_output_tokens: MAX_TOKENS, ...wish }),
  },
  messages: {
    format: 'anthropic-messages',
    body: (wish) => ({ model: 'm', messages, max_tokens: MAX_TOKENS, ...wish }),
  },
  gemini: {
    format: 'gemini-generate',
    model: 'm',
    body: (thinkingConfig) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { maxOutputTokens: MAX_TOKENS, thinkingConfig },
    }),
  },
};

const TARGETS: readonly (readonly [FormatName, TargetContext['providerType'], string])[] = [
  ['openai-chat', 'PROVIDER_A', 'gpt-4o'],
  ['openai-chat', 'PROVIDER_A', 'gpt-5'],
  ['openai-chat', 'PROVIDER_A', 'gpt-5.2'],
  ['openai-chat', 'PROVIDER_F', 'a-deployment'],
  ['openai-chat', 'PROVIDER_D', 'qwen3'],
  ['openai-chat', 'CUSTOM', 'qwen3'],
  ['openai-responses', 'PROVIDER_A', 'o3'],
  ['openai-responses', 'PROVIDER_A', 'gpt-5.1'],
  ['anthropic-messages', 'PROVIDER_B', 'claude-3-5-haiku-20241022'],
  ['anthropic-messages', 'PROVIDER_B', 'claude-sonnet-4-5'],
  ['anthropic-messages', 'PROVIDER_B', 'claude-opus-4-6'],
  ['anthropic-messages', 'PROVIDER_B', 'claude-opus-5'],
  ['gemini-generate', 'PROVIDER_C', 'gemini-2.0-flash'],
  ['gemini-generate', 'PROVIDER_C', 'gemini-2.5-flash'],
  ['gemini-generate', 'PROVIDER_C', 'gemini-2.5-pro'],
  ['gemini-generate', 'PROVIDER_C', 'gemini-3-flash'],
  ['gemini-generate', 'PROVIDER_C', 'gemini-3-pro'],
];

/** The bounds of the table's rows and values between, in ascending order. */
const BUDGETS = [
  ...new Set(
    THINKING_EFFORTS.flatMap(({ fromTokens, tokens }) => [fromTokens - 1, fromTokens, tokens]),
  ),
  60_000,
]
  .filter((tokens) => tokens >= 0)
  .sort((one, other) => one - other);

interface Wish {
  /** The requested amount, in tokens. */
  asked: number;
  fields: JsonObject;
}

const budgetField = (tokens: number): JsonObject => ({
  thinking: tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: tokens },
});
const budgets = (fields: (tokens: number) => JsonObject): Wish[] =>
  BUDGETS.map((asked) => ({ asked, fields: fields(asked) }));
const efforts = (fields: (effort: Effort) => JsonObject, words = [...EFFORTS]): Wish[] =>
  words.map((effort) => ({ asked: tokensOf(effort), fields: fields(effort) }));

/** The fields that set thinking, each with its values in ascending order. */
const WISHES: readonly (readonly [string, string, readonly Wish[]])[] = [
  ['chat', 'reasoning_effort', efforts((effort) => ({ reasoning_effort: effort }))],
  ['chat', 'thinking', budgets(budgetField)],
  ['unified', 'reasoning_effort', efforts((effort) => ({ reasoning_effort: effort }))],
  ['unified', 'thinking', budgets(budgetField)],
  ['responses', 'reasoning.effort', efforts((effort) => ({ reasoning: { effort } }))],
  ['messages', 'thinking', budgets(budgetField)],
  [
    'messages',
    'output_config.effort',
    efforts((effort) => ({ output_config: { effort } }), ['low', 'medium', 'high', 'xhigh', 'max']),
  ],
  ['gemini', 'thinkingBudget', budgets((thinkingBudget) => ({ thinkingBudget }))],
  [
    'gemini',
    'thinkingLevel',
    efforts(
      (effort) => ({ thinkingLevel: effort.toUpperCase() }),
      ['minimal', 'low', 'medium', 'high'],
    ),
  ],
];

function decode(source: Source, wish: JsonObject): NormalisedRequest {
  const { model } = source;
  return FORMATS[source.format].decodeRequest(source.body(wish), model ? { model } : {});
}

/** The amount that an upstream is asked for, in tokens; an absent field counts as zero. */
function amountIn(format: FormatName, body: JsonObject): number {
  const { reasoningBudget, reasoningEffort } = FORMATS[format].decodeRequest(body, { model: 'm' });
  const row = thinkingEffort(reasoningEffort);
  if (reasoningBudget !== undefined && (reasoningBudget.tokens >= 0 || row === undefined)) {
    return reasoningBudget.tokens;
  }
  return row?.tokens ?? 0;
}

const isOwn = (source: string, way: string, format: FormatName): boolean =>
  SOURCES[source]?.format === format && !(source === 'chat' && way === 'thinking');

const CASES = WISHES.flatMap(([source, way, wishes]) =>
  TARGETS.filter(([format]) => !isOwn(source, way, format)).map(
    ([format, providerType, model]) => ({ source, way, wishes, format, providerType, model }),
  ),
);

describe.each(CASES)(
  '$source $way for $model at $providerType ($format)',
  ({ source: name, wishes, format, providerType, model }) => {
    const source = SOURCES[name] as Source;
    const send = (fields: JsonObject, strict: boolean) =>
      FORMATS[format].encodeRequest(decode(source, fields), { providerType, model, strict });

    test('is the same amount, or reported; with strict, the same amount or refused', () => {
      for (const { asked, fields } of wishes) {
        const { body, dropped } = send(fields, false);
        if (dropped.length > 0) expect(() => send(fields, true)).toThrow('cannot be passed on');
        else {
          expect([fields, amountIn(format, body)]).toEqual([fields, asked]);
          expect(send(fields, true).body).toEqual(body);
        }
      }
    });

    test('never decreases when the client asks for more', () => {
      // Gemini models that always think get the lowest level for zero, which has no number of tokens.
      const compared = wishes.filter(({ asked }) => asked > 0 || format !== 'gemini-generate');
      const amounts = compared.map(({ fields }) => amountIn(format, send(fields, false).body));
      expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
    });

    test('is a request that the upstream accepts', () => {
      for (const { fields } of wishes) expectValid(format, model, send(fields, false).body);
    });
  },
);

const PLAIN = [undefined, 'low', 'medium', 'high'];
const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  'gpt-5': ['minimal', ...PLAIN],
  'gpt-5.1': ['none', ...PLAIN],
  'gpt-5.2': ['none', 'xhigh', ...PLAIN],
  o3: PLAIN,
  'claude-opus-4-6': ['max', ...PLAIN],
  'claude-opus-5': ['xhigh', 'max', ...PLAIN],
  'gemini-3-flash': [undefined, 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'],
  'gemini-3-pro': [undefined, 'LOW', 'HIGH'],
  'claude-sonnet-4-5': [undefined],
  'claude-3-5-haiku-20241022': [undefined],
  'gemini-2.5-flash': [undefined],
  'gemini-2.5-pro': [undefined],
  'gemini-2.0-flash': [undefined],
};
const WITHOUT_THINKING = ['claude-3-5-haiku-20241022', 'gemini-2.0-flash'];

function expectValid(format: FormatName, model: string, body: JsonObject): void {
  const { reasoning, reasoning_effort, output_config, thinking, generationConfig } = body as {
    [name: string]: JsonObject | undefined;
  };
  const config = generationConfig?.['thinkingConfig'] as JsonObject | undefined;
  const word =
    reasoning?.['effort'] ??
    output_config?.['effort'] ??
    config?.['thinkingLevel'] ??
    reasoning_effort;
  if (TAKEN[model]) expect(TAKEN[model]).toContain(word);
  if (WITHOUT_THINKING.includes(model)) expect(thinking ?? config).toBeUndefined();
  if (config) expect(Object.hasOwn(config, 'thinkingLevel')).toBe(!('thinkingBudget' in config));
  if (format !== 'anthropic-messages' || thinking === undefined) return;
  const types = { 'claude-sonnet-4-5': /enabled|disabled/, 'claude-opus-5': /adaptive|disabled/ };
  expect(thinking['type']).toMatch(types[model as keyof typeof types] ?? /./);
  if (thinking['type'] !== 'enabled') return;
  expect(thinking['budget_tokens']).toBeGreaterThanOrEqual(1_024);
  expect(thinking['budget_tokens']).toBeLessThan(Number(body['max_tokens']));
}

test('every effort becomes a budget that becomes the same effort', () => {
  expect(EFFORTS.map((effort) => effortOf(tokensOf(effort)))).toEqual(EFFORTS);
  expect(THINKING_EFFORTS.map(({ effort }) => effort)).toEqual(EFFORTS);
});

test('docs/thinking.md has the table', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/thinking.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `\w+` +\|/.test(line));
  const cells = rows.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  const count = (tokens: number) => tokens.toLocaleString('en-US');
  expect(cells.map((row) => row.slice(1, -1))).toEqual(
    THINKING_EFFORTS.map(({ effort, tokens, fromTokens, messages: word, gemini }, at) => {
      const next = THINKING_EFFORTS[at + 1]?.fromTokens;
      const most = next === undefined ? 'and more' : `to ${count(next - 1)}`;
      const range = fromTokens + 1 === next ? count(fromTokens) : `${count(fromTokens)} ${most}`;
      return [effort, count(tokens), range, word ?? 'none', gemini];
    }),
  );
});
