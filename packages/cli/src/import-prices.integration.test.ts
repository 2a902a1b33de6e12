import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { rest } from '@tollgate/contracts';

import { main } from './main';

// `prices import` against a real HTTP server that behaves as the management API does.

const ORGANISATION = '00000000-0000-4000-8000-000000000002';
const price = (input: string) => ({
  steps: [
    {
      fromInputTokens: 0,
      input,
      cacheRead: input,
      cacheWrite5m: input,
      cacheWrite1h: input,
      audioInput: input,
      imageInput: input,
      output: '10.00',
      audioOutput: '10.00',
      imageOutput: '10.00',
    },
  ],
  perRequestUsd: '0.00',
  perUnitUsd: {},
  tierPercent: {},
});
const row = (model: string, action: 'ADD' | 'UNCHANGED', before: rest.PriceList | null) => ({
  line: null,
  modelId: '00000000-0000-4000-8000-000000000003',
  model,
  action,
  effectiveFrom: '2026-11-28T00:00:00.000Z',
  before,
  after: price('2.50'),
});

const ME = {
  id: '00000000-0000-4000-8000-000000000001',
  email: 'a@example.com',
  name: 'A',
  role: 'ORG_ADMIN',
  organisation: { id: ORGANISATION, name: 'Acme', slug: 'acme', timeZone: 'UTC' },
  managedTeamIds: [],
  actions: [],
};
const answerOf = (part: Partial<rest.PriceImported>) => ({
  dryRun: true,
  applied: false,
  added: 1,
  unchanged: 1,
  faults: [],
  rows: [row('gpt-4o', 'ADD', price('1.00')), row('o3', 'UNCHANGED', price('2.50'))],
  ...part,
});

let server: Server;
let url: string;
let bodies: unknown[];
let answer: object;

beforeEach(async () => {
  bodies = [];
  answer = answerOf({});
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const json = (body: unknown): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (path === rest.getMe.path) json(ME);
      else {
        bodies.push([path, JSON.parse(Buffer.concat(chunks).toString())]);
        json(answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

async function run(args: readonly string[], input = '') {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof texts) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        texts[name] += chunk.toString();
        done();
      },
    });
  const streams = { stdin: Readable.from([input]), stdout: sink('stdout'), stderr: sink('stderr') };
  const env = { TOLLGATE_URL: url, TOLLGATE_TOKEN: 'token' };
  const code = await main(['prices', 'import', '--organisation', 'acme', ...args], env, streams);
  return { code, ...texts };
}

test('a dry run prints each amount that the known models would change, and exits with 2', async () => {
  const { code, stdout, stderr } = await run(['--known', '--model', 'gpt-4o', '--dry-run']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    '~ gpt-4o from 2026-11-28T00:00:00.000Z',
    '    input: 1.00 → 2.50',
    '    cacheRead: 1.00 → 2.50',
    '    cacheWrite5m: 1.00 → 2.50',
    '    cacheWrite1h: 1.00 → 2.50',
    '    audioInput: 1.00 → 2.50',
    '    imageInput: 1.00 → 2.50',
    '1 to add, 1 unchanged',
    '',
  ]);
  const path = `/api/organisations/${ORGANISATION}/models/prices/import`;
  const body = { format: 'known_models', dryRun: true, models: ['gpt-4o'] };
  expect(bodies).toEqual([[path, body]]);
});

test('a price list from standard input is applied; a model without a price starts with all of it', async () => {
  const rows = [row('gpt-4o', 'ADD', null)];
  answer = answerOf({ dryRun: false, applied: true, unchanged: 0, rows });
  const { code, stdout } = await run(['-f', '-'], 'model,input,output\ngpt-4o,2.50,10\n');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\+ gpt-4o from .*\n {4}input: \(none\) → 2\.50\n/);
  expect(stdout).toMatch(/\n1 added, 0 unchanged\n$/);
  const content = 'model,input,output\ngpt-4o,2.50,10\n';
  expect(bodies).toEqual([[expect.anything(), { format: 'csv', content, dryRun: false }]]);
});

test('a JSON list is known by its text, and its faults exit with 1', async () => {
  const faults = [
    { line: null, column: '[0].model', message: 'the organisation has no model "x"' },
  ];
  answer = answerOf({ added: 0, unchanged: 0, rows: [], faults });
  const { code, stdout } = await run(['-f', '-', '--dry-run'], ' [{"model":"x"}]');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^! \[0\]\.model: the organisation has no model "x"\n/);
  expect(bodies).toEqual([[expect.anything(), expect.objectContaining({ format: 'json' })]]);
});

test('another organisation than the account’s own is refused before anything is sent', async () => {
  const { code, stderr } = await run(['--known', '--organisation', 'other']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/one organisation at a time/);
  expect(bodies).toEqual([]);
});
