import { upstreamsSpeaking } from './endpoints';

test('server tools are run by the upstreams that are spoken to in their own format', () => {
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
