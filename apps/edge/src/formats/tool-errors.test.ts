// A tool failure survives formats without a field for it: the model reads it as text, and the field
// is restored where the conversation goes to a provider that has one.

import { FORMATS, type FormatName, type JsonObject } from '.';

const FAILED = {
  model: 'm',
  max_tokens: 64,
  messages: [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'No such file', is_error: true },
      ],
    },
  ],
};

const target = { providerType: 'CUSTOM', model: 'm', strict: true } as const;

function send(from: FormatName, to: FormatName, body: JsonObject): JsonObject {
  return FORMATS[to].encodeRequest(FORMATS[from].decodeRequest(body, { model: 'm' }), target).body;
}

const wordless: readonly FormatName[] = ['openai-chat', 'openai-responses', 'unified'];

test.each(wordless)('%s has the failure as text', (format) => {
  const written = JSON.stringify(send('anthropic-messages', format, FAILED));
  expect(written).toContain('"[tool error] No such file"');
});

test.each(wordless)('the text of %s becomes a field again', (format) => {
  const back = send(format, 'anthropic-messages', send('anthropic-messages', format, FAILED));
  expect(JSON.stringify(back)).toContain('"content":"No such file","is_error":true');
});

test.each(wordless)('%s marks the failure of an empty result too', (format) => {
  const silent = JSON.parse(JSON.stringify(FAILED).replace('No such file', '')) as JsonObject;
  const written = send('anthropic-messages', format, silent);
  expect(JSON.stringify(written)).toContain('"[tool error]"');
  const back = JSON.stringify(send(format, 'anthropic-messages', written));
  expect(back).toContain('"tool_use_id":"c1","is_error":true');
});

test.each(wordless)('%s leaves a result that only mentions errors unchanged', (format) => {
  const plain = JSON.parse(
    JSON.stringify(FAILED).replace('No such file', '[tool errors] none').replace('true', 'false'),
  ) as JsonObject;
  const back = send(format, 'anthropic-messages', send('anthropic-messages', format, plain));
  expect(JSON.stringify(back)).toContain('"content":"[tool errors] none"}');
});
