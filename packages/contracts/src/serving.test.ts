import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MODEL_TYPES, PROVIDER_TYPES } from './enums';
import { OPERATIONS } from './operations';
import {
  familiesServing,
  FAMILY_OPERATIONS,
  mayDeclareResponses,
  providerServes,
  whyUnserved,
} from './serving';
import { servingPage } from './serving-page';
import { UPSTREAM_FORMATS } from './upstream-apis';
import { ROUTE_FAMILIES } from './vendors';

test('docs/routes.md is what the tables say (write it anew: pnpm routes-page)', () => {
  const page = readFileSync(join(__dirname, '../../../docs/routes.md'), 'utf8');
  expect(page).toBe(servingPage());
});

test('conversations reach every kind of provider', () => {
  for (const operation of ['chat', 'responses', 'count_tokens'] as const) {
    for (const format of UPSTREAM_FORMATS) {
      for (const type of PROVIDER_TYPES) expect(providerServes(type, format, operation)).toBe(true);
    }
  }
});

test.each([
  ['PROVIDER_A', 'openai', 'moderation', true],
  ['PROVIDER_A', 'openai', 'tokenize', false],
  ['PROVIDER_F', 'openai', 'moderation', false],
  ['PROVIDER_F', 'openai', 'image_variation', false],
  ['PROVIDER_F', 'openai', 'image_edit', true],
  ['CUSTOM', 'openai', 'moderation', true],
  ['CUSTOM', 'openai', 'image_variation', true],
  ['CUSTOM', 'vllm', 'rerank', true],
  ['CUSTOM', 'gemini', 'embeddings', true],
  ['PROVIDER_D', 'vllm', 'image_generation', true],
  ['PROVIDER_D', 'vllm', 'speech', true],
  ['PROVIDER_D', 'vllm', 'moderation', false],
  ['PROVIDER_C', 'gemini', 'embeddings', true],
  ['PROVIDER_C', 'gemini', 'completions', false],
  ['PROVIDER_B', 'anthropic', 'embeddings', false],
] as const)('%s in the format %s, asked for %s: %s', (type, format, operation, expected) => {
  expect(providerServes(type, format, operation)).toBe(expected);
});

test.each([
  ['PROVIDER_A', 'openai', 'conversation_create', false, true],
  ['PROVIDER_F', 'openai', 'conversation_items', false, true],
  ['CUSTOM', 'openai', 'response_retrieve', false, false],
  ['CUSTOM', 'openai', 'response_retrieve', true, true],
  ['CUSTOM', 'openai', 'conversation_create', true, true],
  ['CUSTOM', 'vllm', 'conversation_create', true, false],
  ['CUSTOM', 'anthropic', 'response_retrieve', true, false],
] as const)(
  '%s in the format %s has %s when it declares the Responses API (%s): %s',
  (type, format, operation, declared, expected) => {
    expect(providerServes(type, format, operation, declared)).toBe(expected);
  },
);

test('only a custom provider of the format openai may declare the Responses API', () => {
  const may = PROVIDER_TYPES.flatMap((type) =>
    UPSTREAM_FORMATS.filter((format) => mayDeclareResponses(type, format)).map(
      (format) => `${type} ${format}`,
    ),
  );
  expect(may).toEqual(['CUSTOM openai']);
});

test('every operation has a route in some family, and every family some operation', () => {
  const routed = new Set(Object.values(FAMILY_OPERATIONS).flat());
  expect([...routed].toSorted()).toEqual([...OPERATIONS].toSorted());
  expect(Object.keys(FAMILY_OPERATIONS)).toEqual(Object.keys(ROUTE_FAMILIES));
});

test.each([
  ['chat', 'PROVIDER_A', 'openai', ['unified', 'openai', 'anthropic', 'gemini']],
  ['chat', 'PROVIDER_B', 'anthropic', ['unified', 'anthropic', 'gemini']],
  ['chat', 'PROVIDER_D', 'vllm', ['unified', 'anthropic', 'gemini', 'vllm']],
  ['embeddings', 'PROVIDER_A', 'openai', ['openai', 'gemini']],
  ['embeddings', 'PROVIDER_C', 'gemini', ['gemini']],
  ['embeddings', 'CUSTOM', 'openai', ['gemini']],
  ['embeddings', 'PROVIDER_D', 'vllm', ['gemini', 'vllm']],
  ['embeddings', 'PROVIDER_B', 'anthropic', []],
  ['transcription', 'PROVIDER_D', 'vllm', ['vllm']],
  ['image', 'PROVIDER_F', 'openai', ['openai']],
  ['image', 'PROVIDER_D', 'vllm', []],
  ['image', 'CUSTOM', 'openai', []],
] as const)('%s of %s in the format %s is served by %j', (type, providerType, format, families) => {
  const model = { type, providerType, upstreamFormat: format };
  expect(familiesServing(model, false)).toEqual(families);
});

test.each([
  ['chat', 'PROVIDER_B', 'anthropic', ['unified', 'openai', 'anthropic', 'gemini', 'vllm']],
  ['embeddings', 'PROVIDER_C', 'gemini', ['openai', 'gemini', 'vllm']],
  ['image', 'CUSTOM', 'openai', ['openai']],
  ['tts', 'PROVIDER_D', 'vllm', ['openai']],
  ['transcription', 'CUSTOM', 'openai', ['openai', 'vllm']],
  ['moderation', 'CUSTOM', 'openai', ['openai']],
  ['moderation', 'PROVIDER_F', 'openai', []],
  ['image', 'PROVIDER_C', 'gemini', []],
] as const)('opened, %s of %s in the format %s by %j', (type, providerType, format, families) => {
  const model = { type, providerType, upstreamFormat: format };
  expect(familiesServing(model, true)).toEqual(families);
});

test('a model that no route can use is told why, and what would help', () => {
  const drawn = { type: 'image', providerType: 'CUSTOM', upstreamFormat: 'openai' } as const;
  expect(whyUnserved(drawn, false)).toMatch(/type image .* openCompatRoutes is off; switch it on/);
  expect(whyUnserved(drawn, true)).toBeUndefined();
  const never = { type: 'tts', providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' } as const;
  for (const open of [false, true]) {
    expect(whyUnserved(never, open)).toMatch(/type tts .* format anthropic; choose another type/);
    expect(whyUnserved(never, open)).not.toContain('openCompatRoutes');
  }
});

test('opening routes takes nothing away', () => {
  for (const type of MODEL_TYPES) {
    for (const providerType of PROVIDER_TYPES) {
      for (const upstreamFormat of UPSTREAM_FORMATS) {
        const model = { type, providerType, upstreamFormat };
        expect(familiesServing(model, true)).toEqual(
          expect.arrayContaining(familiesServing(model, false)),
        );
      }
    }
  }
});
