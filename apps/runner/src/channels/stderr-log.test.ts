import { createLogger, type Logger } from '@tollgate/kit';

import { createStderrLog } from './stderr-log';

const SECRET = 'SUPERSECRETVALUE';

function written(text: string): unknown[] {
  const lines: unknown[] = [];
  const log: Logger = createLogger({ service: 'test', level: 'error' });
  const info = (_message: string, fields?: { line?: unknown }): Logger => {
    lines.push(fields?.line);
    return log;
  };
  createStderrLog(
    Object.assign(Object.create(log) as Logger, { info }),
    () => 0,
    SECRET,
  )(Buffer.from(text));
  return lines;
}

test('a secret is replaced', () => {
  expect(written(`key ${SECRET} is wrong\n`)).toEqual(['key *** is wrong']);
});

test.each([985, 990, 999])(
  'no beginning of one at %d is left by the cut of a long line',
  (before) => {
    const [line] = written(`${'x'.repeat(before)}${SECRET}${'y'.repeat(50)}\n`);
    expect(line).toMatch(/^x+\*\*\*y*$/);
  },
);

test('nor by secrets before it that are shorter when they are replaced', () => {
  const [line] = written(`${SECRET.repeat(3)}${'x'.repeat(955)}${SECRET}\n`);
  expect(line).not.toContain('SUPER');
});
