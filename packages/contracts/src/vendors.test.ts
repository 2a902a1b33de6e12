import { MODEL_TYPES, PROVIDER_TYPES } from './enums';
import { OPERATIONS, operationServes } from './operations';
import { PROVIDER_LABELS } from './provider-types';
import {
  familyOwns,
  familyServes,
  isFixedFamily,
  isRouteFamily,
  pinMatches,
  ROUTE_FAMILIES,
  vendorByName,
  vendorByType,
  VENDORS,
} from './vendors';

test('every provider type and every wire label has a vendor', () => {
  expect(new Set(VENDORS.map((vendor) => vendor.type))).toEqual(new Set(PROVIDER_TYPES));
  expect(new Set(VENDORS.map((vendor) => vendor.label))).toEqual(new Set(PROVIDER_LABELS));
  for (const type of PROVIDER_TYPES) expect(vendorByType(type).type).toBe(type);
});

test('no real name means two vendors', () => {
  const names = VENDORS.flatMap((vendor) => [vendor.type, ...vendor.names]);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['provider_a', ['PROVIDER_A', 'PROVIDER_F']],
  ['openai', ['PROVIDER_A']],
  ['OpenAI', ['PROVIDER_A']],
  ['PROVIDER_A', ['PROVIDER_A']],
  ['azure', ['PROVIDER_F']],
  ['PROVIDER_F', ['PROVIDER_F']],
  ['provider_b', ['PROVIDER_B']],
  ['anthropic', ['PROVIDER_B']],
  ['provider_c', ['PROVIDER_C']],
  ['gemini', ['PROVIDER_C']],
  ['google', ['PROVIDER_C']],
  ['provider_d', ['PROVIDER_D']],
  ['vllm', ['PROVIDER_D']],
  ['provider_e', ['CUSTOM']],
  ['custom', ['CUSTOM']],
  ['provider_f', []],
  ['', []],
  ['toString', []],
])('the pin %j allows %j', (pin, types) => {
  expect(PROVIDER_TYPES.filter((type) => pinMatches(pin, type)).sort()).toEqual([...types].sort());
  expect(vendorByName(pin)?.type).toBe(types[0]);
});

test.each([
  ['chat', ['chat', 'reasoning', 'audio']],
  ['completions', ['chat', 'reasoning']],
  ['tokenize', ['chat', 'reasoning']],
  ['embeddings', ['embeddings']],
  ['rerank', ['embeddings']],
  ['image_edit', ['image']],
  ['moderation', ['moderation']],
  ['transcription', ['audio', 'transcription']],
  ['speech', ['audio', 'tts']],
] as const)('%s is served by %j', (operation, types) => {
  const serving = MODEL_TYPES.filter((type) => operationServes(operation, type));
  expect(new Set(serving)).toEqual(new Set(types));
});

test('every operation is served by some type, and every type serves some operation', () => {
  for (const operation of OPERATIONS) {
    expect(MODEL_TYPES.some((type) => operationServes(operation, type))).toBe(true);
  }
  for (const type of MODEL_TYPES) {
    expect(OPERATIONS.some((operation) => operationServes(operation, type))).toBe(true);
  }
});

// Each family with the types it is fixed to; the rest serve any provider.
const FIXED: Record<string, readonly string[]> = {
  openai: ['PROVIDER_A', 'PROVIDER_F'],
  vllm: ['PROVIDER_D'],
};

test.each(Object.keys(ROUTE_FAMILIES).filter(isRouteFamily))(
  'the routes of the family %s serve the providers they are fixed to, opened ones any',
  (family) => {
    expect(isFixedFamily(family)).toBe(family in FIXED);
    for (const type of PROVIDER_TYPES) {
      const own = FIXED[family]?.includes(type) ?? true;
      expect(familyOwns(family, type)).toBe(own);
      expect(familyServes(family, type, false)).toBe(own);
      expect(familyServes(family, type, true)).toBe(true);
    }
  },
);

test('a family is one of the table', () => {
  expect(isRouteFamily('vllm')).toBe(true);
  for (const name of ['', 'toString', 'provider_d']) expect(isRouteFamily(name)).toBe(false);
});
