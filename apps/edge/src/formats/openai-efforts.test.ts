import { createDropList } from './drop-list';
import { encodeReasoning } from './openai-efforts';

function said(asked: string | undefined, model: string) {
  const drops = createDropList(false);
  const wish = asked === undefined ? {} : { reasoningEffort: asked };
  return [encodeReasoning(wish, { model }, drops), drops.finish()];
}

const NAMED = ['reasoning_effort'];

test.each<[string, string, string | undefined]>([
  ['o3-mini', 'none', 'low'],
  ['o4-mini-2025-04-16', 'max', 'high'],
  ['gpt-5', 'none', 'minimal'],
  ['gpt-5-mini', 'xhigh', 'high'],
  ['gpt-5-pro', 'low', 'high'],
  ['gpt-5-codex', 'minimal', 'low'],
  ['gpt-5-chat-latest', 'low', undefined],
  ['gpt-5.1', 'minimal', 'none'],
  ['gpt-5.1', 'max', 'high'],
  ['gpt-5.1-codex-max', 'max', 'xhigh'],
  ['openai/gpt-5.2', 'max', 'xhigh'],
  ['gpt-5.2-pro', 'none', 'medium'],
])('%s with the effort %s gets %s, and a report', (model, asked, nearest) => {
  expect(said(asked, model)).toEqual([nearest, NAMED]);
});

test.each([
  ['o3', 'high'],
  ['gpt-5', 'minimal'],
  ['gpt-5.1', 'none'],
  ['gpt-5.2', 'xhigh'],
])('%s gets the effort %s unchanged', (model, asked) => {
  expect(said(asked, model)).toEqual([asked, []]);
});

test('unknown models and efforts are passed on for the provider to judge', () => {
  expect(said('max', 'gpt-7')).toEqual(['max', []]);
  expect(said('ultra', 'gpt-5')).toEqual(['ultra', []]);
  expect(said(undefined, 'gpt-5')).toEqual([undefined, []]);
});
