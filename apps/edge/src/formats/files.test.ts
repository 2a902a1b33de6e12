// A document URL goes to every upstream that fetches documents itself. Elsewhere the document is
// dropped and reported to the client.
import { FORMATS, type FormatName, type JsonObject } from '.';
import type { TargetContext } from './format';

const url = 'https://example.com/a.pdf?x=1';
const ASKED: Readonly<Partial<Record<FormatName, (url: string) => JsonObject>>> = {
  'openai-responses': (url) => ({
    model: 'm',
    input: [{ role: 'user', content: [{ type: 'input_file', file_url: url }] }],
  }),
  'anthropic-messages': (url) => ({
    model: 'm',
    max_tokens: 5,
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url } }] }],
  }),
};
const SAID: readonly (Omit<TargetContext, 'model' | 'strict'> & {
  format: FormatName;
  part: JsonObject | undefined;
})[] = [
  {
    format: 'openai-responses',
    providerType: 'PROVIDER_A',
    part: { type: 'input_file', file_url: url },
  },
  {
    format: 'anthropic-messages',
    providerType: 'PROVIDER_B',
    part: { type: 'document', source: { type: 'url', url } },
  },
  {
    format: 'gemini-generate',
    providerType: 'PROVIDER_C',
    part: { fileData: { mimeType: 'application/pdf', fileUri: url } },
  },
  { format: 'openai-chat', providerType: 'PROVIDER_A', part: undefined },
  { format: 'unified', providerType: 'CUSTOM', part: undefined },
];
const crossings = Object.keys(ASKED).flatMap((name) =>
  SAID.filter(({ format }) => format !== name).map((said) => ({ name: name as FormatName, said })),
);

function send(
  name: FormatName,
  to: FormatName,
  providerType: TargetContext['providerType'],
  at: string,
) {
  const asked = ASKED[name]?.(at) ?? {};
  const request = FORMATS[name].decodeRequest(asked, { model: 'm' });
  return FORMATS[to].encodeRequest(request, { providerType, model: 'm', strict: false });
}

test.each(crossings)('from $name to $said.format', ({ name, said }) => {
  const { body, dropped } = send(name, said.format, said.providerType, url);
  if (said.part === undefined) {
    expect(dropped).toEqual([expect.stringMatching(/^(messages|input)\[0\]\.file$/)]);
    expect(JSON.stringify(body)).not.toContain('example.com');
  } else {
    expect(dropped).toEqual([]);
    expect(JSON.stringify(body)).toContain(JSON.stringify(said.part));
  }
});

test('a URL that cannot be fetched, or whose media type is unknown, is reported', () => {
  const dropped = (at: string) =>
    send('openai-responses', 'gemini-generate', 'PROVIDER_C', at).dropped;
  expect(dropped('ftp://example.com/a.pdf')).toEqual(['input[0].file']);
  expect(dropped('https://example.com/download')).toEqual(['input[0].file']);
  expect(
    send('openai-responses', 'anthropic-messages', 'PROVIDER_B', 'ftp://example.com/a.pdf').dropped,
  ).toEqual(['input[0].file']);
});
