// Vendors accept only thinking that they sealed. A compatible server seals nothing: it reads earlier
// thinking as text, so another provider's seal is dropped.

import { FORMATS, type FormatName, type JsonObject } from '.';

const user = { role: 'user', content: 'Sure?' };

function sent(format: FormatName, thought: JsonObject) {
  const turn = { role: 'assistant', content: 'Yes.', ...thought };
  const body = { model: 'm', messages: [user, turn, user] };
  const target = { providerType: 'PROVIDER_D', model: 'm', strict: false } as const;
  return FORMATS[format].encodeRequest(FORMATS['openai-chat'].decodeRequest(body, {}), target);
}

const sealed = { type: 'thinking', thinking: 'Hm.', signature: 'elsewhere' };
const redacted = { type: 'redacted_thinking', data: 'elsewhere' };

test('Messages: thinking is sent with an empty seal', () => {
  const { body } = sent('anthropic-messages', { reasoning_content: 'Hm.' });
  expect(JSON.stringify(body)).toContain('{"type":"thinking","thinking":"Hm.","signature":""}');
});

test('Responses: thinking is sent as text, and its seal is reported as dropped', () => {
  const { body, dropped } = sent('openai-responses', { thinking_blocks: [sealed] });
  expect(JSON.stringify(body)).toContain(
    '{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]}',
  );
  expect(dropped.join()).toMatch(/signature/);
});

test('Responses: redacted thinking is reported as dropped', () => {
  const { body, dropped } = sent('openai-responses', { thinking_blocks: [redacted] });
  expect(JSON.stringify(body)).not.toContain('elsewhere');
  expect(dropped.join()).toMatch(/thinking/);
});
