// Recorded answers and streams of this format through every codec, and recorded requests to the
// vendor, against committed snapshots.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslation } from '../../operations/passage';
import { FORMATS, type Format, type FormatName, type JsonObject, type ReplyContext } from '..';
import { geminiGenerate } from '.';

const OWN = join(__dirname, 'golden');
const REQUESTS = join(__dirname, '..', 'golden');
const formats = Object.values(FORMATS);

const files = (folder: string): string[] => readdirSync(folder).sort();
const load = (folder: string, file: string): Buffer => readFileSync(join(folder, file));
const loadJson = (folder: string, file: string): JsonObject =>
  JSON.parse(load(folder, file).toString()) as JsonObject;

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_c',
  model: 'chat',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};

const requests = (Object.keys(FORMATS) as FormatName[]).flatMap((name) =>
  files(join(REQUESTS, name)).map((file) => ({ name, file })),
);

test.each(requests)('$name/$file to the vendor', ({ name, file }) => {
  const request = FORMATS[name].decodeRequest(loadJson(join(REQUESTS, name), file), {
    model: 'chat',
    stream: false,
  });
  for (const model of ['gemini-3-flash', 'gemini-2.5-pro', 'gemini-2.0-flash']) {
    const target = { providerType: 'PROVIDER_C', model, strict: false } as const;
    expect(geminiGenerate.encodeRequest(request, target)).toMatchSnapshot(model);
  }
});

const answers = join(OWN, 'answers');

describe.each(files(answers))('answers/%s', (file) => {
  test.each(formats)('encoded as $name', (format: Format) => {
    const answer = geminiGenerate.decodeResponse(loadJson(answers, file));
    expect(format.encodeResponse(answer, context)).toMatchSnapshot();
  });

  test('inspected', () => {
    expect(geminiGenerate.inspectResponse(load(answers, file))).toMatchSnapshot();
  });
});

const streams = join(OWN, 'streams');

describe.each(files(streams))('streams/%s', (file) => {
  const bytes = load(streams, file);

  test.each(formats)('translated to $name', (format: Format) => {
    const passage = createTranslation(format, geminiGenerate, context);
    const out = [...passage.push(bytes), ...passage.finish()];
    expect(Buffer.concat(out).toString()).toMatchSnapshot('events');
    expect(passage.report).toMatchSnapshot('report');
  });

  test('passed on', () => {
    const tap = geminiGenerate.createUsageTap({ stripUsage: false });
    const passed = Buffer.concat([...tap.push(bytes), ...tap.finish()]).toString();
    // All of it, but for an error, which the relay writes.
    expect(bytes.toString().startsWith(passed)).toBe(true);
    expect(tap.report).toMatchSnapshot('report');
  });
});
