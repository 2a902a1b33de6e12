import {
  costNanoUsd,
  emptyUsage,
  formatUsd,
  parseUsd,
  priceFromWire,
  whyUnserved,
  type ProviderType,
} from '@tollgate/contracts';

import { storedPriceList } from '../resources/models/prices';
import { knownModel, VENDOR_LISTS, type VendorList } from './known-models';

// Faults of a list that its schema cannot see: a wrong unit, a typed-over digit, the same model twice.

const models = VENDOR_LISTS.flatMap((list) =>
  list.models.map((model) => ({ ...model, list, title: `${list.vendor} ${model.id}` })),
);
const OPENAI = { type: 'PROVIDER_A', baseUrl: 'https://api.openai.com/v1' } as const;
const custom = (baseUrl: string) => ({ type: 'CUSTOM', baseUrl }) as const;

test('no vendor lists a name twice, and no provider belongs to two vendors', () => {
  for (const { vendor, models: listed } of VENDOR_LISTS) {
    const names = listed.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect([vendor, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([vendor, []]);
  }
  const providers = VENDOR_LISTS.flatMap((list) =>
    list.providers.map((one) => JSON.stringify(one)),
  );
  expect(new Set(providers).size).toBe(providers.length);
});

test('sources are dated within the life of the list, and none lies in the future', () => {
  const today = new Date().toISOString().slice(0, 10);
  for (const { title, sources } of models) {
    for (const { seen } of sources) {
      expect([title, seen >= '2026-06-01' && seen <= today]).toEqual([title, true]);
    }
    const urls = sources.map(({ url }) => url);
    expect([title, new Set(urls).size]).toEqual([title, urls.length]);
  }
});

test('every amount is US dollars per million tokens, in the one form that answers have', () => {
  for (const { title, price } of models) {
    const amounts = [
      ...price.steps.flatMap(({ fromInputTokens: _from, ...classes }) => Object.values(classes)),
      ...Object.values(price.perUnitUsd),
    ].filter((text) => text !== undefined);
    expect([title, amounts.map((text) => formatUsd(parseUsd(text)))]).toEqual([title, amounts]);
  }
});

test('prices are plausible: a slip of a thousand, or two classes that were swapped, fails', () => {
  for (const { title, type, price } of models) {
    for (const step of price.steps) {
      const of = (text: string | undefined): number => Number(text ?? step.input);
      const [input, output] = [Number(step.input), Number(step.output)];
      expect([title, input >= 0 && input <= 200, output >= 0 && output <= 1_000]).toEqual([
        title,
        true,
        true,
      ]);
      expect([title, of(step.cacheRead) <= input]).toEqual([title, true]);
      expect([title, of(step.cacheWrite5m) >= input]).toEqual([title, true]);
      expect([
        title,
        of(step.cacheWrite1h) >= of(step.cacheWrite5m) || step.cacheWrite1h === undefined,
      ]).toEqual([title, true]);
      if (type === 'chat' || type === 'reasoning') {
        expect([title, output >= input, input > 0]).toEqual([title, true, true]);
      }
    }
    const [first, ...later] = price.steps;
    for (const step of later) {
      expect([title, Number(step.input) > Number(first?.input)]).toEqual([title, true]);
    }
    const billed = price.steps.some(({ input }) => Number(input) > 0);
    const perUnit = Object.keys(price.perUnitUsd).length > 0;
    expect([title, billed || perUnit || type === 'moderation']).toEqual([title, true]);
  }
});

test('an output fits into its context, and a route serves every model', () => {
  for (const { title, contextTokens, maxOutputTokens, type, list } of models) {
    expect([title, (maxOutputTokens ?? 0) <= (contextTokens ?? Number.MAX_SAFE_INTEGER)]).toEqual([
      title,
      true,
    ]);
    const served = { type, ...providerOf(list) };
    expect([title, whyUnserved(served, true)]).toEqual([title, undefined]);
  }
});

function providerOf({ providers }: VendorList) {
  const typed = providers.find((one): one is { type: ProviderType } => 'type' in one);
  if (typed === undefined) return { providerType: 'CUSTOM', upstreamFormat: 'openai' } as const;
  const formats = { PROVIDER_B: 'anthropic', PROVIDER_C: 'gemini' } as const;
  const { type } = typed;
  const upstreamFormat = type === 'PROVIDER_B' || type === 'PROVIDER_C' ? formats[type] : 'openai';
  return { providerType: type, upstreamFormat } as const;
}

test('a listed price charges what the vendor’s page says', () => {
  const cost = (name: string, usage: Partial<ReturnType<typeof emptyUsage>>): string => {
    const { steps, perRequestNanoUsd, perUnitNanoUsd } = storedPriceList(
      knownModel(OPENAI, name)?.price ?? {
        steps: [],
        perRequestUsd: '0',
        perUnitUsd: {},
        tierPercent: {},
      },
    );
    const wire = { steps, perRequestNanoUsd: perRequestNanoUsd.toString(), perUnitNanoUsd };
    return formatUsd(costNanoUsd(priceFromWire(wire), { ...emptyUsage(), ...usage }));
  };
  expect(cost('gpt-4o', { input: 1_000_000 })).toBe('2.50');
  expect(cost('gpt-4o', { cacheRead: 1_000_000 })).toBe('1.25');
  expect(cost('gpt-4o-mini', { input: 1_000, output: 1_000 })).toBe('0.00075');
  // The whole request costs more once its input is longer than the vendor's threshold.
  expect(cost('gpt-5.4', { input: 272_000 })).toBe('0.68');
  expect(cost('gpt-5.4', { input: 272_001 })).toBe('1.360005');
});

test.each([
  ['its id', OPENAI, 'gpt-4o-mini', 'gpt-4o-mini'],
  ['an alias', OPENAI, 'gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
  ['a type at another address', { ...OPENAI, baseUrl: 'http://127.0.0.1:9090/v1' }, 'o3', 'o3'],
  [
    'a name as Gemini lists it',
    { type: 'PROVIDER_C', baseUrl: 'https://g.test' } as const,
    'models/gemini-2.5-pro',
    'gemini-2.5-pro',
  ],
  [
    'a custom provider’s host',
    custom('https://api.groq.com/openai/v1'),
    'openai/gpt-oss-20b',
    'openai/gpt-oss-20b',
  ],
  ['no other host', custom('https://groq.example.com/v1'), 'openai/gpt-oss-20b', undefined],
  [
    'no other vendor',
    { type: 'PROVIDER_B', baseUrl: 'https://api.anthropic.com' } as const,
    'gpt-4o',
    undefined,
  ],
  ['no longer name', OPENAI, 'gpt-4o-mini-tuned', undefined],
])('a model is known by %s', (_title, provider, name, id) => {
  expect(knownModel(provider, name)?.id).toBe(id);
});
