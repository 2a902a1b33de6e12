// Recorded requests and answers through every codec, against committed snapshots. A new format adds
// a folder of requests and shows up in every other one's results.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS, type Format, type FormatName, type JsonObject, type ReplyContext } from '.';

const GOLDEN = join(__dirname, 'golden');
const formats = Object.values(FORMATS);

function files(folder: string): string[] {
  return readdirSync(join(GOLDEN, folder)).sort();
}

function load(folder: string, file: string): Buffer {
  return readFileSync(join(GOLDEN, folder, file));
}

function loadJson(folder: string, file: string): JsonObject {
  return JSON.parse(load(folder, file).toString()) as JsonObject;
}

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'chat',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};

const requests = (Object.keys(FORMATS) as FormatName[]).flatMap((name) =>
  files(name).map((file) => ({ name, file })),
);

// The array is another framing of the answers, and asks as its format does.
const clients = formats.filter(({ name }) => name !== 'gemini-generate-array');

test.each(clients)('a request of $name is recorded for everything that crosses over', (format) => {
  expect(files(format.name).length).toBeGreaterThanOrEqual(14);
});

describe.each(requests)('$name/$file', ({ name, file }) => {
  const decode = () => FORMATS[name].decodeRequest(loadJson(name, file), {});

  test('decoded', () => {
    const { raw: _, ...request } = decode();
    expect(request).toMatchSnapshot();
  });

  test.each(formats)('encoded as $name', (format: Format) => {
    for (const providerType of ['PROVIDER_A', 'PROVIDER_D'] as const) {
      const target = { providerType, model: 'upstream-model', strict: false };
      const encoded = format.encodeRequest(decode(), { ...target, maxOutputTokens: 64 });
      expect(encoded).toMatchSnapshot(providerType);
    }
  });
});

describe.each(files('answers'))('answers/%s', (file) => {
  test.each(formats)('encoded as $name', (format: Format) => {
    const answer = FORMATS['openai-chat'].decodeResponse(loadJson('answers', file));
    expect(format.encodeResponse(answer, context)).toMatchSnapshot();
  });

  test('inspected', () => {
    expect(FORMATS['openai-chat'].inspectResponse(load('answers', file))).toMatchSnapshot();
  });
});

describe.each(files('streams'))('streams/%s', (file) => {
  const bytes = load('streams', file);

  test.each(formats)('translated to $name', (format: Format) => {
    const decoder = FORMATS['openai-chat'].createStreamDecoder();
    const encoder = format.createStreamEncoder(context);
    const events = [...decoder.push(bytes), ...decoder.finish()];
    expect(events.map((event) => encoder.encode(event)).join('')).toMatchSnapshot();
  });

  test('passed on without usage', () => {
    const tap = FORMATS['openai-chat'].createUsageTap({ stripUsage: true });
    const passed = Buffer.concat([...tap.push(bytes), ...tap.finish()]).toString();
    expect(passed).toMatchSnapshot('bytes');
    expect(tap.report).toMatchSnapshot('report');
  });
});
