import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const HOOK = join(__dirname, '../test/typescript-hook.cjs');
const SERVICE = join(__dirname, '../test/service.ts');

interface Ended {
  code: number | null;
  lines: Record<string, unknown>[];
}

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

// Runs the service, sends it a signal once it is ready when one is given, and waits for its end.
function run(behaviour: string, signal?: NodeJS.Signals): Promise<Ended> {
  const service = spawn(process.execPath, ['-r', HOOK, SERVICE, behaviour], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = service;
  let output = '';
  let signalled = false;
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (signal === undefined || signalled || !output.includes('"ready"')) return;
    signalled = true;
    service.kill(signal);
  });
  return new Promise((resolve, reject) => {
    service.on('error', reject);
    service.on('close', (code) => {
      const lines = output.split('\n').filter((line) => line !== '');
      resolve({ code, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) });
    });
  });
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops in reverse order and ends well',
  async (signal) => {
    const { code, lines } = await run('none', signal);
    expect(code).toBe(0);
    expect(lines.flatMap((line) => line['step'] ?? [])).toEqual(['third', 'second', 'first']);
    expect(lines).toContainEqual(expect.objectContaining({ message: 'stopping', reason: signal }));
  },
);

test('a step that fails makes the end a failure', async () => {
  const { code, lines } = await run('fails', 'SIGTERM');
  expect(code).toBe(1);
  expect(lines.flatMap((line) => line['step'] ?? [])).toEqual(['third', 'second', 'first']);
});

test('a stop that hangs is ended with a failure', async () => {
  const { code, lines } = await run('hangs', 'SIGTERM');
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({ message: 'stopping took too long' });
});

test.each([
  ['rejects', 'unhandled rejection', 'nobody waits for this'],
  ['throws', 'uncaught exception', 'nobody catches this'],
])('a service that %s crashes and says why', async (behaviour, kind, message) => {
  const { code, lines } = await run(behaviour);
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    message: 'crashed',
    kind,
    error: { message, stack: expect.stringContaining('service.ts') },
  });
});

test('no line that was logged is lost when the process is stopped right after', async () => {
  const { code, lines } = await run('talks');
  expect(code).toBe(0);
  expect(lines.filter((line) => line['message'] === 'line')).toHaveLength(5000);
});
