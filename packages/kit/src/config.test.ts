import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { ConfigError, describeConfig, readConfig } from './config';
import { grpcShape, serviceShape } from './config-shapes';
import { envVar } from './env-var';

const shape = {
  PORT: envVar.port({ default: 8080, description: 'Port to listen on.' }),
  LIMIT: envVar.int({ default: 5, min: 1, max: 9, unit: 'requests', description: 'How many.' }),
  WAIT: envVar.durationMs({ default: 250, description: 'How long.' }),
  NAME: envVar.string({ description: 'What it is called.' }),
  NOTE: envVar.string({ optional: true, description: 'A note.' }),
  PASSWORD: envVar.secret({ description: 'The password.' }),
  DATABASE: envVar.url({ protocols: ['postgres'], secret: true, description: 'The database.' }),
  CLUSTER: envVar.bool({ default: false, description: 'Whether it is one.' }),
  ORIGINS: envVar.list({ default: [], description: 'Who may ask.' }),
  LEVEL: envVar.choice({ choices: ['low', 'high'], default: 'low', description: 'How much.' }),
};

const good = {
  NAME: 'edge',
  PASSWORD: 'hunter2hunter2',
  DATABASE: 'postgres://me:s3cr3t@localhost/db',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig('test', shape, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('what is unset or empty takes its default', () => {
  const config = readConfig('test', shape, { ...good, PORT: '', NOTE: '' });
  expect({ ...config }).toEqual({
    ...good,
    PORT: 8080,
    LIMIT: 5,
    WAIT: 250,
    NOTE: undefined,
    CLUSTER: false,
    ORIGINS: [],
    LEVEL: 'low',
  });
});

test('what is set is parsed to its type', () => {
  const set = {
    PORT: '0',
    LIMIT: '9',
    WAIT: '0',
    CLUSTER: 'TRUE',
    ORIGINS: 'a, b,',
    LEVEL: 'high',
  };
  const config = readConfig('test', shape, { ...good, ...set, NOTE: 'x=y' });
  const port: number = config.PORT;
  const note: string | undefined = config.NOTE;
  const level: 'low' | 'high' = config.LEVEL;
  const origins: readonly string[] = config.ORIGINS;
  expect([port, config.LIMIT, config.WAIT, config.CLUSTER]).toEqual([0, 9, 0, true]);
  expect([note, level, origins]).toEqual(['x=y', 'high', ['a', 'b']]);
});

test('every problem is told at once', () => {
  const problems = problemsOf({
    PORT: '70000',
    LIMIT: '0',
    WAIT: '1.5',
    DATABASE: 'mysql://me:s3cr3t@localhost/db',
    CLUSTER: 'maybe',
    LEVEL: 'medium',
  });
  expect(problems).toEqual([
    'PORT must be at most 65535, not 70000',
    'LIMIT must be at least 1, not 0',
    'WAIT must be a whole number, not "1.5"',
    'NAME is required: What it is called.',
    'PASSWORD is required (or PASSWORD_FILE): The password.',
    'DATABASE must begin with postgres://',
    'CLUSTER must be true or false, not "maybe"',
    'LEVEL must be one of low, high, not "medium"',
  ]);
});

test('the error names the service and lists the problems', () => {
  expect(() => readConfig('edge', { A: envVar.int({ description: 'A.' }) }, {})).toThrow(
    'edge cannot start with this configuration:\n  - A is required: A.',
  );
});

test('a secret comes from the file that NAME_FILE names', () => {
  const file = join(folder, 'password');
  writeFileSync(file, 'from the file\n');
  const env = { NAME: 'edge', DATABASE: good.DATABASE, PASSWORD_FILE: file };
  expect(readConfig('test', shape, env).PASSWORD).toBe('from the file');
});

test('a secret set twice, an unreadable file and an empty one are problems', () => {
  const empty = join(folder, 'empty');
  const missing = join(folder, 'missing');
  writeFileSync(empty, '\n');
  const rest = { NAME: 'edge', DATABASE: good.DATABASE };
  expect(problemsOf({ ...good, PASSWORD_FILE: empty })).toEqual([
    'PASSWORD is set twice: also by PASSWORD_FILE',
  ]);
  expect(problemsOf({ ...rest, PASSWORD_FILE: missing })).toEqual([
    `PASSWORD cannot be read from the file in PASSWORD_FILE (${missing}): ENOENT`,
  ]);
  expect(problemsOf({ ...rest, PASSWORD_FILE: empty })).toEqual([
    `PASSWORD cannot be read from the file in PASSWORD_FILE (${empty}): it is empty`,
  ]);
});

test('only secrets are read from files', () => {
  expect(problemsOf({ ...good, NAME: '', NAME_FILE: '/etc/hostname' })).toHaveLength(1);
});

test('printing a configuration in any way leaves the secrets out', () => {
  const config = readConfig('test', shape, good);
  const printed = [JSON.stringify(config), inspect(config), inspect({ nested: { config } })];
  for (const text of printed) {
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(/hunter2|s3cr3t/);
    expect(text).toContain('8080');
  }
});

test("a check's message about a secret does not show it", () => {
  const checked = {
    KEY: envVar.secret({
      description: 'A key.',
      check: (text) => {
        throw new RangeError(`must not be ${text}`);
      },
    }),
  };
  expect(() => readConfig('test', checked, { KEY: 'hunter2' })).toThrow('must not be [redacted]');
});

test('a malformed token list is a problem like any other', () => {
  const shared = { ...serviceShape, ...grpcShape };
  expect(readConfig('test', shared, {}).INTERNAL_TOKENS).toBe('');
  expect(() =>
    readConfig('test', shared, { INTERNAL_TOKENS: 'edge=short', LOG_LEVEL: 'x' }),
  ).toThrow(/LOG_LEVEL must be one of[^]*INTERNAL_TOKENS the token of edge must have at least 16/);
});

test('a shape describes itself', () => {
  const rows = describeConfig(shape);
  expect(rows.find((row) => row.name === 'WAIT')).toEqual({
    name: 'WAIT',
    kind: 'duration',
    description: 'How long.',
    unit: 'ms',
    default: '250',
    required: false,
    secret: false,
  });
  expect(rows.filter((row) => row.required).map((row) => row.name)).toEqual([
    'NAME',
    'PASSWORD',
    'DATABASE',
  ]);
  expect(rows.filter((row) => row.secret).map((row) => row.name)).toEqual(['PASSWORD', 'DATABASE']);
});
