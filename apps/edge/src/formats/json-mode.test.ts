// Every vendor supports JSON without a schema: through its JSON mode, through an instruction where
// it has no mode, through both where its mode requires the word JSON in the conversation.

import { FORMATS, type FormatName, type JsonObject } from '.';

const WORDS = /Answer with one valid JSON object and nothing else/;

function send(
  to: FormatName,
  messages: JsonObject[],
  providerType: 'PROVIDER_A' | 'PROVIDER_B' | 'PROVIDER_C' | 'PROVIDER_D',
): JsonObject {
  const asked = { model: 'm', messages, response_format: { type: 'json_object' } };
  const target = { providerType, model: 'm', strict: true };
  return FORMATS[to].encodeRequest(FORMATS['unified'].decodeRequest(asked, {}), target).body;
}

const user = (content: string) => ({ role: 'user', content });

test('anthropic-messages gets the instruction after the system text', () => {
  const body = send(
    'anthropic-messages',
    [{ role: 'system', content: 'Be brief.' }, user('Hi')],
    'PROVIDER_B',
  );
  const said = body['system'] as { text: string }[];
  expect(said.map(({ text }) => text)).toEqual([
    'Be brief.',
    expect.stringMatching(WORDS) as string,
  ]);
});

test('anthropic-messages gets the instruction as system text if there is none', () => {
  const body = send('anthropic-messages', [user('Give me JSON.')], 'PROVIDER_B');
  expect(body['system']).toMatch(WORDS);
});

test('gemini-generate has a mode that needs no instruction', () => {
  const body = send('gemini-generate', [user('Hi')], 'PROVIDER_C');
  expect(body['generationConfig']).toEqual({ responseMimeType: 'application/json' });
  expect(body).not.toHaveProperty('systemInstruction');
});

test.each(['openai-chat', 'openai-responses'] as const)(
  '%s gets the instruction if the vendor requires the word JSON and the conversation lacks it',
  (format) => {
    expect(JSON.stringify(send(format, [user('Hi')], 'PROVIDER_A'))).toMatch(WORDS);
    expect(JSON.stringify(send(format, [user('As JSON.')], 'PROVIDER_A'))).not.toMatch(WORDS);
    expect(JSON.stringify(send(format, [user('Hi')], 'PROVIDER_D'))).not.toMatch(WORDS);
  },
);

test('a dropped field keeps the position of the client’s message', () => {
  const asked = {
    model: 'm',
    messages: [{ ...user('Hi'), name: 'ann' }],
    response_format: { type: 'json_object' },
  };
  const target = { providerType: 'PROVIDER_B', model: 'm', strict: false } as const;
  const request = FORMATS['openai-chat'].decodeRequest(asked, {});
  const { dropped } = FORMATS['anthropic-messages'].encodeRequest(request, target);
  expect(dropped).toEqual(['messages[0].name']);
});
