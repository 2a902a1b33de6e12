import { Readable, Writable } from 'node:stream';

import { main } from './main';

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof texts) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        texts[name] += chunk.toString();
        done();
      },
    });
  const streams = { stdin: Readable.from([]), stdout: sink('stdout'), stderr: sink('stderr') };
  return { code: await main(args, env, streams), ...texts };
}

test('without a command the usage is printed', async () => {
  expect(await run([])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^tollgate COMMAND/),
  });
});

test.each([
  [['paint'], /There is no command paint/],
  [['plan', '--colour'], /Unknown option '--colour'/],
  [['plan'], /Name the documents: -f FILE/],
  [['export', '--format', 'xml'], /--format is one of yaml, json/],
  [['export', '--wait', 'long'], /--wait is a number of seconds, at most 3600/],
  [['export', 'everything'], /Unknown argument everything/],
  [['export'], /Name the management API: --url or TOLLGATE_URL/],
  [['export', '--url', 'ftp://x'], /is not an http\(s\) URL/],
  [['export', '--url', 'http://127.0.0.1:1'], /Sign in with TOLLGATE_TOKEN/],
  [['plan', '-f', '/nowhere/at/all.yaml'], /does not exist or cannot be read/],
  [['apply', '-f', '-', '--dry-run'], /--dry-run belongs to prices import/],
  [['prices', 'raise'], /Unknown argument raise|There is no command prices/],
  [['prices', 'import'], /Name one price list/],
  [['prices', 'import', '--known', '-f', '-'], /-f\) or --known, not both/],
  [['prices', 'import', '-f', '-', '--model', 'gpt-4o'], /--model belongs to --known/],
])('%j exits with 1 and says what to do', async (args, words) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(words);
});

test('an installation that is away is an error that names it', async () => {
  const env = { TOLLGATE_EMAIL: 'a@example.com', TOLLGATE_PASSWORD: 'x' };
  const { code, stderr } = await run(['export', '--url', 'http://127.0.0.1:1'], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/);
});

test('the JSON schema has every kind', async () => {
  const { code, stdout } = await run(['schema']);
  const { anyOf } = JSON.parse(stdout) as { anyOf: { properties: { kind: { const: string } } }[] };
  expect(code).toBe(0);
  expect(anyOf.map(({ properties }) => properties.kind.const)).toContain('Ownership');
  expect(anyOf).toHaveLength(20);
});
