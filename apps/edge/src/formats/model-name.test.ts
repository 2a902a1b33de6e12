import { createRenamer, literalOf, renameAnywhere, renameModel } from './model-name';
import type { FormatName, JsonObject } from './normalised';

const NAME = 'house "model" ü';

const unary: [FormatName, string, JsonObject][] = [
  ['openai-chat', 'model', { id: 'c', choices: [{ message: { content: '"model":"up-1"' } }] }],
  ['openai-responses', 'model', { metadata: { model: 'up-1' }, tools: [{ model: 'up-1' }] }],
  ['anthropic-messages', 'model', { content: [{ type: 'tool_use', input: { model: 'up-1' } }] }],
  ['gemini-generate', 'modelVersion', { candidates: [{ args: { modelVersion: 'up-1' } }] }],
];

test.each(unary)(
  'an answer of %s has the requested name, and nothing else changes',
  (format, field, rest) => {
    for (const wire of [
      { [field]: 'up-1', ...rest },
      { ...rest, [field]: 'up-1' },
    ]) {
      for (const space of [undefined, 2]) {
        const bytes = Buffer.from(JSON.stringify(wire, null, space));
        const read = JSON.parse(renameModel(format, bytes, NAME).toString()) as unknown;
        expect(read).toEqual({ ...rest, [field]: NAME });
      }
    }
  },
);

test('numbers keep their spelling', () => {
  const bytes = Buffer.from('{"seed":12345678901234567890,"f":1.0,"model":"up"}');
  expect(renameModel('openai-chat', bytes, 'm').toString()).toBe(
    '{"seed":12345678901234567890,"f":1.0,"model":"m"}',
  );
});

const event = (wire: JsonObject): string => `data: ${JSON.stringify(wire)}\n\n`;

const streams: [FormatName, (name: string) => string][] = [
  [
    'openai-chat',
    (model) =>
      event({ model, choices: [{ delta: { content: '{"model":"up-1"}' } }] }) +
      event({ choices: [], model }) +
      'data: [DONE]\n\n',
  ],
  [
    'openai-responses',
    (model) =>
      event({ type: 'response.created', response: { metadata: { model: 'up-1' }, model } }) +
      event({ type: 'response.output_text.delta', delta: '"response":{"model":"up-1"}' }) +
      event({ type: 'response.completed', response: { model, tools: [{ model: 'up-1' }] } }),
  ],
  [
    'anthropic-messages',
    (model) =>
      event({ type: 'message_start', message: { id: 'm', model, usage: {} } }) +
      event({ type: 'content_block_delta', delta: { partial_json: '{"model":"up-1"}' } }),
  ],
  [
    'gemini-generate',
    (modelVersion) =>
      event({ candidates: [{ args: { modelVersion: 'up-1' } }], modelVersion }) +
      event({ modelVersion, candidates: [] }),
  ],
  ['gemini-generate-array', (modelVersion) => `[${JSON.stringify({ modelVersion })},\n`],
];

test.each(streams)('events of %s have the requested name', (format, textWith) => {
  const parts = createRenamer(format, NAME)([Buffer.from(textWith('up-1'))]);
  expect(Buffer.concat(parts).toString()).toBe(textWith(NAME));
});

test('bytes with the requested name are passed on unchanged', () => {
  const part = Buffer.from(event({ model: 'up', choices: [] }));
  expect(createRenamer('openai-chat', 'up')([part])[0]).toBe(part);
});

test('a missing name is not added', () => {
  const bytes = Buffer.from('{"data":[],"model":null}');
  expect(renameAnywhere(bytes, literalOf('m'))).toBe(bytes);
  expect(renameModel('openai-chat', Buffer.from('{}'), 'm').toString()).toBe('{}');
});

test('malformed bytes stay unchanged', () => {
  for (const text of ['', '{"model":"up', '{"model', '}}}"model":"x"']) {
    expect(renameModel('openai-chat', Buffer.from(text), 'm').toString()).toBe(text);
  }
});
