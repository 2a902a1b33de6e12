import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogSink } from './log-sink';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-sink-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('after a flush every line is written, in order, also those written meanwhile', async () => {
  const file = join(folder, 'all');
  const fd = openSync(file, 'w');
  const sink = createLogSink(fd);
  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index} ${'é'.repeat(50)}\n`);
  const flushes: Promise<void>[] = [];
  for (const [index, line] of lines.entries()) {
    sink.write(line);
    if (index % 500 === 0) flushes.push(sink.flush());
  }
  await Promise.all([...flushes, sink.flush()]);
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  closeSync(fd);
});

test('a flush of nothing is done at once', async () => {
  await expect(createLogSink(1).flush()).resolves.toBeUndefined();
});

test('what nobody takes is dropped beyond the limit, and the gap is told', async () => {
  const file = join(folder, 'gap');
  const fd = openSync(file, 'w');
  const sink = createLogSink(fd);
  // The first line is being written while all the others, more than may wait, come in.
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let count = 0; count < 20; count += 1) sink.write(line);
  await sink.flush();
  sink.write('after\n');
  await sink.flush();
  const written = readFileSync(file, 'utf8').split('\n');
  expect(written.slice(0, -1)).toHaveLength(17 + 2);
  expect(JSON.parse(written[17] ?? '')).toMatchObject({ level: 'warn', lines: 3 });
  expect(written[18]).toBe('after');
  closeSync(fd);
});

test('a log that can no longer be written to does not hang its flush', async () => {
  const noSuchFile = 1_000_000;
  const sink = createLogSink(noSuchFile);
  sink.write('lost\n');
  await expect(sink.flush()).resolves.toBeUndefined();
});
