import { readJob } from '.';
import type { JsonObject } from '../formats';
import { openaiResponses } from '../formats/openai-responses';
import { chatJob } from './chat';
import { storedJob, type StoredOperation } from './stored';

const said = (part: object) => [{ type: 'message', role: 'user', content: [part] }];
const output = { type: 'computer_screenshot', file_id: 'file_1' };

function added(items: unknown, operation: StoredOperation = 'conversation_items_create'): number {
  const json: JsonObject = { items };
  const ids = { conversation_id: 'conv_1' };
  const body = { json, bytes: Buffer.from(JSON.stringify(json)) };
  return storedJob(operation, { ids, query: '', model: '', body }).addedTokens ?? 0;
}

function asked(input: unknown): number {
  const request = openaiResponses.decodeRequest({ model: 'm', input }, {});
  return chatJob({ format: openaiResponses, request }).inputTokensEstimate;
}

describe.each(['conversation_create', 'conversation_items_create'] as const)('%s', (operation) => {
  test.each<[name: string, items: object[], atLeast: number]>([
    ['text', said({ type: 'input_text', text: 'A fox in the snow. '.repeat(100) }), 400],
    ['a file by id', said({ type: 'input_file', file_id: 'file_1' }), 4_000],
    ['a file by address', said({ type: 'input_file', file_url: 'https://x.example/a' }), 4_000],
    ['an image by id', said({ type: 'input_image', file_id: 'file_1' }), 1_700],
    ['a screenshot', [{ type: 'computer_call_output', call_id: 'c', output }], 1_700],
  ])('%s adds to a conversation what it counts as input', (_name, items, atLeast) => {
    expect(added(items, operation)).toBeGreaterThanOrEqual(atLeast);
    expect(added(items, operation)).toBe(asked(items));
  });
});

test('items that the gateway cannot decode are accepted, and count by their fields', () => {
  const text = 'A fox in the snow. '.repeat(100);
  expect(added([{ type: 'message', role: 'narrator', content: text }])).toBeGreaterThan(400);
  const file = { type: 'input_file', file_id: 'file_1' };
  expect(added([{ type: 'message', role: 'narrator', content: [file] }])).toBeGreaterThan(4_000);
  expect(added('A fox')).toBeGreaterThan(0);
});

test.each([[undefined], [null], [[]]])('items %j add nothing', (items) => {
  expect(added(items)).toBe(0);
});

test('a compaction holds what its input names as a response does', () => {
  const input = said({ type: 'input_file', file_id: 'file_1' });
  const json = { model: 'm', input };
  const received = { json, bytes: Buffer.from(JSON.stringify(json)) };
  const { inputTokensEstimate } = readJob('response_compact', 'openai-responses', received, {});
  expect(inputTokensEstimate).toBeGreaterThan(4_000);
});
