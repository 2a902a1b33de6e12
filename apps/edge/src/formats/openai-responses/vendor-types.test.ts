// The codec's output conforms to the types of the vendor's own SDK. The compiler checks each value
// as a literal, so unknown fields are errors too.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gatewayError } from '@tollgate/contracts';

import type { JsonObject, StreamEvent } from '../normalised';
import { encodeStreamError } from './error';
import { encodeResponse } from './response';
import { createUsageTap } from './tap';
import { context, everything, plain, read, usage, whole, write } from './test-support/samples';

const SDK = dirname(require.resolve('openai'));
const COMPILER = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

const PREAMBLE = `
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
// The SDK computes this field itself.
type Answer = Omit<Response, 'output_text'>;
type OnWire<T> = T extends { response: Response } ? Omit<T, 'response'> & { response: Answer } : T;
type Event = OnWire<ResponseStreamEvent>;
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vendor-types-'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    paths: { 'openai/*': [`${SDK}/*`] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The compiler's errors for the values; empty without any. */
function complaints(type: 'Answer' | 'Event', values: readonly object[]): string {
  const lines = values.map(
    (value, at) => `export const v${at}: ${type} = ${JSON.stringify(value)};`,
  );
  writeFileSync(join(folder, 'values.ts'), PREAMBLE + lines.join('\n'));
  try {
    execFileSync(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    return '';
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error);
  }
}

// The vendor sends the bytes of a token in deltas, though the types lack them.
const withoutLogprobs = (event: StreamEvent): StreamEvent => {
  if (event.type !== 'text') return event;
  const { logprobs: _, ...rest } = event;
  return rest;
};

test('the events of a stream conform', () => {
  const stopping = (reason: 'length' | 'content_filter' | 'pause' | 'error') =>
    plain.map((event) => (event.type === 'stop' ? { ...event, reason } : event));
  const streams = [
    everything.map(withoutLogprobs),
    plain,
    stopping('length'),
    stopping('content_filter'),
    stopping('pause'),
    stopping('error'),
  ];
  expect(
    complaints(
      'Event',
      streams.flatMap((events) => read(write(events))),
    ),
  ).toBe('');
});

test('the events that end a stream early conform', () => {
  const error = gatewayError('upstream_error', 'Gone.', { param: 'x' });
  const failed: StreamEvent = { type: 'error', error, fault: 'EARLY_END' };
  const begun = write(everything.slice(0, 14).map(withoutLogprobs));
  const tap = createUsageTap();
  tap.push(Buffer.from(begun));
  const texts = [
    write([...plain.slice(0, 2), failed]),
    encodeStreamError(error, context),
    tap.ending?.fail(error) ?? '',
    tap.ending?.cut(usage.tokens) ?? '',
  ];
  expect(complaints('Event', texts.flatMap(read))).toBe('');
});

test('a unary answer conforms', () => {
  const [choice] = whole.choices;
  const bare = { id: '', model: '', choices: choice ? [{ ...choice, content: [] }] : [] };
  const { request: _, ...unasked } = context;
  const answers = [
    encodeResponse(whole, context),
    encodeResponse(bare, unasked),
    encodeResponse({ ...whole, serviceTier: 'standard' }, unasked),
    ...['fast', 'ultrafast'].map((serviceTier) =>
      encodeResponse({ ...whole, serviceTier }, unasked),
    ),
  ];
  expect(answers.map(({ service_tier: tier }) => tier).slice(2)).toEqual([
    'default',
    'fast',
    'ultrafast',
  ]);
  expect(complaints('Answer', answers)).toBe('');
});

test('the compiler rejects violations', () => {
  const answer = encodeResponse(whole, context);
  const { id: _, ...without } = answer;
  const wrong: JsonObject[] = [
    without,
    { ...answer, output: [{ type: 'message', id: 'm' }] },
    { ...answer, status: 'done' },
    { ...answer, of_our_own: 1 },
  ];
  for (const value of wrong) expect(complaints('Answer', [value])).toContain('error TS');
});
