import { PROVIDER_TYPES, UPSTREAM_FORMATS } from '@tollgate/contracts';

import { providerRulesOf, upstreamsSpeaking } from './endpoints';

test('server tools run at upstreams that are called in their own format', () => {
  expect(upstreamsSpeaking('openai-responses')).toEqual([
    'openai/PROVIDER_A',
    'openai/PROVIDER_F',
    'openai/native_responses',
    'vllm',
  ]);
  expect(upstreamsSpeaking('openai-chat')).toEqual(['openai', 'vllm']);
  expect(upstreamsSpeaking('anthropic-messages')).toEqual(['anthropic']);
  expect(upstreamsSpeaking('gemini-generate')).toEqual(['gemini']);
  expect(upstreamsSpeaking('unified')).toEqual([]);
});

test('calls to one kind of provider share their rules', () => {
  for (const type of PROVIDER_TYPES) {
    for (const format of UPSTREAM_FORMATS) {
      expect(providerRulesOf(type, format)).toBe(providerRulesOf(type, format));
    }
  }
});
