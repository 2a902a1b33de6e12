// Integers beyond the range of a number are passed on digit by digit, whether a payload is passed
// on, encoded anew, or holds JSON as text.
import { FORMATS, parseJson, type FormatName, type JsonObject, type ReplyContext } from '.';
import type { TargetContext } from './format';

const LONG = '9223372036854775807';
const read = (text: string): JsonObject => parseJson(text) as JsonObject;
const tool = (schema: string, inner = ''): string =>
  `{"name":"f","description":"d","${schema}":{"type":"object","properties":{"a":{"type":"integer","maximum":${LONG}}}}${inner}}`;

const REQUESTS: Readonly<Partial<Record<FormatName, string>>> = {
  'openai-chat': `{"model":"m","messages":[{"role":"user","content":"x"}],"seed":${LONG},"metadata":{"n":${LONG}},"tools":[{"type":"function","function":${tool('parameters')}}]}`,
  unified: `{"model":"m","messages":[{"role":"user","content":"x"}],"seed":${LONG},"metadata":{"n":${LONG}},"tools":[{"type":"function","function":${tool('parameters')}}]}`,
  'openai-responses': `{"model":"m","input":"x","seed":${LONG},"tools":[${tool('parameters', ',"type":"function"')}]}`,
  'anthropic-messages': `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[${tool('input_schema')}]}`,
  'gemini-generate': `{"contents":[{"parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[${tool('parameters')}]}]}`,
};
const TARGETS: readonly (TargetContext & { format: FormatName })[] = [
  { format: 'openai-chat', providerType: 'PROVIDER_D', model: 'm', strict: false },
  { format: 'openai-responses', providerType: 'PROVIDER_D', model: 'm', strict: false },
  { format: 'anthropic-messages', providerType: 'PROVIDER_B', model: 'm', strict: false },
  { format: 'gemini-generate', providerType: 'PROVIDER_C', model: 'm', strict: false },
];
const crossings = Object.entries(REQUESTS).flatMap(([name, text]) =>
  TARGETS.map((target) => ({ name: name as FormatName, text, target })),
);

test.each(crossings)('$name to $target.format keeps them', ({ name, text, target }) => {
  const request = FORMATS[name].decodeRequest(read(text), { model: 'm' });
  const { body, dropped } = FORMATS[target.format].encodeRequest(request, target);
  const sent = JSON.stringify(body);
  expect(sent).toContain(`"maximum":${LONG}`);
  const seeded = text.includes('"seed"');
  const said = sent.includes(`"seed":${LONG}`) || dropped.includes('seed');
  expect(said).toBe(seeded);
  if (target.format.startsWith('openai')) expect(sent.includes(`"seed":${LONG}`)).toBe(seeded);
});

test.each(['anthropic-messages', 'gemini-generate'] as const)(
  'in the arguments of a call that is replayed to %s, and in its result',
  (format) => {
    const called = { name: 'f', arguments: `{"id":${LONG}}` };
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: called }] },
      { role: 'tool', tool_call_id: 'c', content: `{"id":${LONG},"part":0.12345678901234567890}` },
    ];
    const request = FORMATS['openai-chat'].decodeRequest({ model: 'm', messages }, {});
    const [body] = TARGETS.filter((known) => known.format === format).map(
      (target) => FORMATS[format].encodeRequest(request, target).body,
    );
    const sent = JSON.stringify(body).replaceAll('\\"', '"');
    expect(sent.split(`"id":${LONG}`)).toHaveLength(3);
    expect(sent).toContain('0.12345678901234567890');
  },
);

const context: ReplyContext = {
  requestId: 'r',
  provider: 'p',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

test('the arguments of a call that a vendor writes as an object keep them', () => {
  const candidate = `{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"id":${LONG}}}}]},"finishReason":"STOP"}`;
  const answer = `{"responseId":"r1","candidates":[${candidate}]}`;
  const decoder = FORMATS['gemini-generate'].createStreamDecoder();
  const events = [...decoder.push(Buffer.from(`data: ${answer}\n\n`)), ...decoder.finish()];
  expect(events).toContainEqual({
    type: 'tool_delta',
    choice: 0,
    tool: 0,
    arguments: `{"id":${LONG}}`,
  });
  const whole = FORMATS['gemini-generate'].decodeResponse(read(answer));
  expect(JSON.stringify(FORMATS['anthropic-messages'].encodeResponse(whole, context))).toContain(
    `"input":{"id":${LONG}}`,
  );
});

test('a number that the gateway computes with is refused', () => {
  const text = `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":${LONG}}`;
  expect(() => FORMATS['openai-chat'].decodeRequest(read(text), {})).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'max_tokens' }) as Error,
  );
});
