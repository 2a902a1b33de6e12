import { createLogger, type LogLevel } from './logger';
import { createMetrics } from './metrics';
import { isSecretName, redact } from './redact';

function recorder(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level, write: (line) => lines.push(line) });
  const read = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, read };
}

test('a line is one JSON object with time, level, service, message and fields', () => {
  const { log, lines, read } = recorder();
  log.info('started', { port: 8080, heldNanoUsd: 12n });
  expect(lines[0]?.endsWith('}\n')).toBe(true);
  expect(read()).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      service: 'test',
      message: 'started',
      port: 8080,
      heldNanoUsd: '12',
    },
  ]);
});

test('lines below the level are not written', () => {
  const { log, read } = recorder('warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(read().map((line) => line['message'])).toEqual(['c', 'd']);
  expect([log.enabled('info'), log.enabled('error')]).toEqual([false, true]);
});

test("a child's lines carry its fields, and no field replaces message, level or service", () => {
  const { log, read } = recorder();
  const child = log.child({ requestId: 'r1' }).child({ step: 'decode' });
  child.info('done', { message: 'other', level: 'error', service: 'other', step: 'encode' });
  expect(read()[0]).toMatchObject({
    message: 'done',
    level: 'info',
    service: 'test',
    requestId: 'r1',
    step: 'encode',
  });
});

test.each([
  'authorization',
  'api_key',
  'apiKey',
  'APIKEY',
  'x-api-key',
  'password',
  'clientSecret',
])('the value of %s is never written, at any depth', (name) => {
  const { log, lines } = recorder();
  log.info('x', { [name]: 'hunter2', a: { [name]: 'hunter2', b: { c: { [name]: 'hunter2' } } } });
  log.info('x', { list: [{ [name]: { value: 'hunter2' } }], map: new Map([[name, 'hunter2']]) });
  log.child({ [name]: 'hunter2' }).info('x', { a: { b: { c: { d: { [name]: 'hunter2' } } } } });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain('hunter2');
});

test('names of secrets are told from names of what only belongs to them', () => {
  const secret = ['key', 'token', 'accessToken', 'Set-Cookie', 'secretText', 'privateKey', 'keys'];
  const plain = ['apiKeyId', 'keyPreview', 'tokens', 'inputTokens', 'tokensPerMinute', 'monkey'];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(plain.filter((name) => isSecretName(name))).toEqual([]);
});

test('credentials inside texts are taken out', () => {
  const { log, lines } = recorder();
  log.error('failed', {
    url: 'postgres://me:hunter2@db:5432/x',
    header: 'Bearer hunter2hunter2',
    error: new Error('GET https://u:hunter2@host/ answered 500'),
  });
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('db:5432/x');
});

test('an error is written with its stack, its own fields and its causes', () => {
  const { log, read } = recorder();
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', apiKey: 'hunter2' });
  log.error('failed', { error: new AggregateError([cause], 'both failed', { cause }) });
  expect(read()[0]).toMatchObject({
    error: {
      name: 'AggregateError',
      message: 'both failed',
      stack: expect.stringContaining('logger.test'),
      cause: { message: 'refused', code: 'ECONNREFUSED', apiKey: '[redacted]' },
      errors: [{ message: 'refused' }],
    },
  });
});

test('what is too deep, too long or too wide is cut, and a cycle ends', () => {
  const cycle: Record<string, unknown> = { name: 'cycle' };
  cycle['self'] = cycle;
  const cleaned = redact({
    cycle,
    text: 'x'.repeat(20_000),
    items: Array.from({ length: 150 }, (_, index) => index),
    bytes: Buffer.from('hunter2'),
    when: new Date(0),
    nothing: null,
  });
  const text = JSON.stringify(cleaned);
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain('[50 more]');
  expect(text).toContain('[7 bytes]');
  expect(text).toContain('1970-01-01T00:00:00.000Z');
  expect(text).toContain('[deeper]');
});

test('metrics are exposed with the service on each sample', async () => {
  const metrics = createMetrics({ service: 'test' });
  metrics.counter('asked_total', 'Asked.', ['code']).inc({ code: 'yes' }, 2);
  metrics.counter('asked_total', 'Asked.', ['code']).inc({ code: 'yes' });
  metrics.gauge('open', 'Open.').set(4);
  metrics.histogram('took_seconds', 'Took.', [], [0.1, 1]).observe(0.5);
  const text = await metrics.text();
  expect(text).toContain('asked_total{code="yes",service="test"} 3');
  expect(text).toContain('open{service="test"} 4');
  expect(text).toContain('took_seconds_bucket{le="1",service="test"} 1');
  expect(text).toContain('process_cpu_seconds_total');
  expect((await metrics.exposition(undefined)).contentType).toContain('text/plain');
});

test('a metric name means one kind of metric', () => {
  const metrics = createMetrics({ service: 'test' });
  metrics.counter('asked_total', 'Asked.');
  expect(() => metrics.gauge('asked_total', 'Asked.')).toThrow('already registered');
});
