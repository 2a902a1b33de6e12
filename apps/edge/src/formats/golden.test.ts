// Whole requests of every client format to every vendor. The expected body is a golden file:
// `golden/openai-chat/tools.json` becomes `tools.to-anthropic-messages.json`. The tables of `matrix/`
// test single parameters; these cases test how the parts of a request work together.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { golden, goldenInputs, goldenJson, staleGoldenFiles } from '@tollgate/kit/golden';

import { FORMATS, type FormatName, type JsonObject } from '.';
import { TARGETS, type TargetName } from './matrix/test-support/matrix';

const GOLDEN = join(__dirname, 'golden');
const CLIENTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'unified',
] as const satisfies FormatName[];
type Client = (typeof CLIENTS)[number];

const VENDORS = ['chat', 'responses', 'messages', 'gemini'] as const satisfies TargetName[];

/** Requests that a compatible server gets in another form than the vendor of its format. */
const TO_SERVER: Readonly<Partial<Record<Client, readonly string[]>>> = {
  'openai-responses': ['foreign-reasoning.json'],
  'anthropic-messages': ['tool-results.json'],
  'gemini-generate': ['everything.json'],
};

interface Case {
  client: Client;
  input: string;
  target: TargetName;
  output: string;
}

function targetsOf(client: Client, input: string): TargetName[] {
  // A request in the vendor's own format is passed on; the round-trip tests cover it.
  const foreign = VENDORS.filter((name) => TARGETS[name].format !== client);
  return TO_SERVER[client]?.includes(input) ? [...foreign, 'server'] : foreign;
}

function outputOf(input: string, target: TargetName): string {
  const to = target === 'server' ? target : TARGETS[target].format;
  return input.replace('.json', `.to-${to}.json`);
}

const cases = CLIENTS.flatMap((client) =>
  goldenInputs(join(GOLDEN, client)).flatMap((input) =>
    targetsOf(client, input).map((target): Case => ({
      client,
      input,
      target,
      output: outputOf(input, target),
    })),
  ),
);

function encoded(client: FormatName, file: string, target: TargetName) {
  const body = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
  const request = FORMATS[client].decodeRequest(body, { model: 'chat', stream: false });
  const { format, context } = TARGETS[target];
  return FORMATS[format].encodeRequest(request, { ...context, maxOutputTokens: 64 });
}

test.each(cases)('$client/$output', ({ client, input, target, output }) => {
  const said = goldenJson(encoded(client, join(GOLDEN, client, input), target));
  // The same request in the chat format mostly reaches an upstream as the same body.
  const same = join(GOLDEN, 'openai-chat', output);
  expect(said).toBe(golden(join(GOLDEN, client, output), said, same));
});

test.each(CLIENTS)('every golden file of %s belongs to a case', (client) => {
  const wanted = cases.filter((one) => one.client === client).map(({ output }) => output);
  expect(staleGoldenFiles(join(GOLDEN, client), wanted)).toEqual([]);
});

test('a Gemini client that reads an array sends the same requests as one that reads events', () => {
  const folder = join(GOLDEN, 'gemini-generate');
  for (const input of goldenInputs(folder)) {
    for (const target of VENDORS) {
      const asked = encoded('gemini-generate-array', join(folder, input), target);
      expect(asked).toEqual(encoded('gemini-generate', join(folder, input), target));
    }
  }
});

test.each(CLIENTS)('the golden requests of %s include tools', (client) => {
  expect(goldenInputs(join(GOLDEN, client))).toContain('tools.json');
});
