// Recorded answers and streams of every upstream format, translated for clients of every other format.
// The expected text is a golden file: `answers/tools.json` becomes `answers/tools.to-gemini-generate.json`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { golden, goldenInputs, goldenJson, staleGoldenFiles } from '@tollgate/kit/golden';

import { FORMATS, type FormatName, type JsonObject, type ReplyContext } from '.';
import { createTranslation } from '../operations/passage';
import { differences } from './matrix/test-support/matrix';
import { tiersReported } from './service-tiers';
import { RECORDED, type Upstream } from './test-support/recorded';

type Client = Exclude<FormatName, 'gemini-generate-array'>;

const upstreams = Object.keys(RECORDED) as Upstream[];
// The array format frames the same answers differently.
const clients = Object.keys(FORMATS).filter((name) => name !== 'gemini-generate-array') as Client[];

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'chat',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};

interface Recording {
  upstream: Upstream;
  folder: string;
  input: string;
}

function recorded(kind: 'answers' | 'streams'): Recording[] {
  return upstreams.flatMap((upstream) => {
    const folder = join(RECORDED[upstream], kind);
    return goldenInputs(folder).map((input) => ({ upstream, folder, input }));
  });
}

interface Case extends Recording {
  client: Client;
  output: string;
}

/** An answer in the client's own format is passed on unchanged, so it has no case. */
function toOthers(recordings: readonly Recording[]): Case[] {
  return recordings.flatMap((one) =>
    clients
      .filter((client) => client !== one.upstream)
      .map((client) => ({ ...one, client, output: outputOf(one.input, `to-${client}`) })),
  );
}

function outputOf(input: string, part: string): string {
  const dot = input.lastIndexOf('.');
  return `${input.slice(0, dot)}.${part}${input.slice(dot)}`;
}

const load = ({ folder, input }: Recording): Buffer => readFileSync(join(folder, input));

function decode(one: Recording) {
  return FORMATS[one.upstream].decodeResponse(JSON.parse(load(one).toString()));
}

/** Answers that are recorded for their stop reason, with the one that each client gets. */
const ENDINGS: readonly [Upstream, string, Readonly<Partial<Record<Client, unknown>>>][] = [
  [
    'anthropic-messages',
    'cut-off.json',
    {
      'openai-chat': 'length',
      'openai-responses': 'max_output_tokens',
      'gemini-generate': 'MAX_TOKENS',
      unified: 'length',
    },
  ],
  [
    'anthropic-messages',
    'stop-sequence.json',
    {
      'openai-chat': 'stop',
      'openai-responses': 'completed',
      'gemini-generate': 'STOP',
      unified: 'stop',
    },
  ],
  [
    'gemini-generate',
    'cut-off.json',
    {
      'openai-chat': 'length',
      'openai-responses': 'max_output_tokens',
      'anthropic-messages': 'max_tokens',
      unified: 'length',
    },
  ],
  [
    'gemini-generate',
    'filtered.json',
    {
      'openai-chat': 'content_filter',
      'openai-responses': 'content_filter',
      'anthropic-messages': 'refusal',
      unified: 'content_filter',
    },
  ],
  [
    'gemini-generate',
    'malformed-call.json',
    {
      'openai-chat': 'stop',
      'openai-responses': 'failed',
      'anthropic-messages': 'end_turn',
      unified: 'error',
    },
  ],
];

/** The stop reason of an answer in each format. */
const ENDING_IN: Readonly<Record<Client, (answer: JsonObject) => unknown>> = {
  'openai-chat': ({ choices }) => firstOf(choices).finish_reason,
  unified: ({ stop_reason }) => stop_reason,
  'openai-responses': (answer) =>
    (answer.incomplete_details as JsonObject | null)?.reason ?? answer.status,
  'anthropic-messages': ({ stop_reason }) => stop_reason,
  'gemini-generate': ({ candidates }) => firstOf(candidates).finishReason,
};

function firstOf(list: unknown): JsonObject {
  return (list as JsonObject[])[0] ?? {};
}

test.each(ENDINGS)('%s: every client gets the stop reason of %s', (upstream, input, told) => {
  const answer = decode({ upstream, folder: join(RECORDED[upstream], 'answers'), input });
  const others = clients.filter((client) => client !== upstream);
  const endings = others.map((client) => {
    return [client, ENDING_IN[client](FORMATS[client].encodeResponse(answer, context))];
  });
  expect(Object.fromEntries(endings)).toEqual(told);
});

const answers = recorded('answers');
const toldWhole = answers.filter(
  (one) => !ENDINGS.some(([upstream, input]) => upstream === one.upstream && input === one.input),
);

test.each(toOthers(toldWhole))('answers of $upstream: $output', (one) => {
  const said = goldenJson(FORMATS[one.client].encodeResponse(decode(one), context));
  expect(said).toBe(golden(join(one.folder, one.output), said));
});

test.each(answers)('answers of $upstream: $input is inspected as it is decoded', (one) => {
  const { outputTokensEstimate: _, ...report } = FORMATS[one.upstream].inspectResponse(load(one));
  const decoded = decode(one);
  const { id, model, usage, choices } = decoded;
  const [choice] = choices;
  expect(report).toEqual({
    responseId: id,
    model,
    usage: usage?.tokens,
    units: usage?.units,
    tiers: tiersReported(decoded),
    stopReason: choice?.stopReason,
    rawStopReason: choice?.rawStopReason,
    itemIds: itemIdsIn(load(one)),
  });
});

/** Only the responses format has output items. */
function itemIdsIn(bytes: Buffer): string[] | undefined {
  const { output } = JSON.parse(bytes.toString()) as { output?: { id: string }[] };
  return output?.map(({ id }) => id);
}

const streams = recorded('streams');

function translate(one: Recording, client: Client) {
  const passage = createTranslation(FORMATS[client], FORMATS[one.upstream], context);
  const out = [...passage.push(load(one)), ...passage.finish()];
  return { text: Buffer.concat(out).toString(), report: passage.report };
}

test.each(toOthers(streams))('streams of $upstream: $output', (one) => {
  const { text } = translate(one, one.client);
  expect(text).toBe(golden(join(one.folder, one.output), text));
});

/** Formats whose streams have usage only on request. */
const LEAVE_OUT_USAGE: readonly Upstream[] = ['openai-chat', 'gemini-generate'];

function passOn(one: Recording) {
  const tap = FORMATS[one.upstream].createUsageTap({ stripUsage: true });
  const out = [...tap.push(load(one)), ...tap.finish()];
  return { text: Buffer.concat(out).toString(), report: tap.report };
}

const reportOf = (input: string) => input.replace('.sse', '.report.json');

describe.each(streams)('streams of $upstream: $input', (one) => {
  const [first, ...others] = clients.filter((client) => client !== one.upstream);

  test('is accounted for', () => {
    const translated = translate(one, first ?? 'unified').report;
    const passedOn = differences(plain(translated), plain(passOn(one).report));
    const said = goldenJson({ translated, differentWhenPassedOn: passedOn });
    expect(said).toBe(golden(join(one.folder, reportOf(one.input)), said));
  });

  test('has the same report for every client format', () => {
    const expected = translate(one, first ?? 'unified').report;
    for (const client of others) expect(translate(one, client).report).toEqual(expected);
  });

  test('is passed on without usage if the client did not ask for it', () => {
    const { text } = passOn(one);
    const whole = load(one).toString();
    // An error at the end is the relay's to write.
    if (!LEAVE_OUT_USAGE.includes(one.upstream)) expect(whole.startsWith(text)).toBe(true);
    else expect(text).toBe(golden(join(one.folder, outputOf(one.input, 'passed-on')), text));
  });
});

/** The value after a JSON round trip, which drops undefined fields. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

test.each(upstreams)('every golden file of %s belongs to a case', (upstream) => {
  const own = (one: Recording) => one.upstream === upstream;
  const wanted = [
    ...toOthers([...toldWhole, ...streams].filter(own)).map(({ output }) => output),
    ...streams.filter(own).flatMap(({ input }) => [reportOf(input), outputOf(input, 'passed-on')]),
  ];
  for (const kind of ['answers', 'streams']) {
    expect(staleGoldenFiles(join(RECORDED[upstream], kind), wanted)).toEqual([]);
  }
});
