import { spawn, spawnSync } from 'node:child_process';

import { usedBy } from './accounting';
import { goals } from './goals';
import { median, skewed, type Measured } from './measure';
import { parseOptions } from './options';
import { costTable, latencyTable, memoryTable, noteOn, table } from './report';
import { ONE_KEY, withMany } from './scenarios';
import { outcomeOf } from './wrk';

const measured = (over: Partial<Measured>): Measured => ({
  scenario: 'unary 1 KB',
  target: 'floor',
  elapsedMs: 1_000,
  requests: 100,
  failures: {},
  perSecond: 100,
  totalUs: { p50: 500, p90: 900, p99: 2_000, p999: 3_000 },
  firstUs: { p50: 0, p90: 0, p99: 0, p999: 0 },
  cpuUs: { floor: 40 },
  peakRss: { floor: 1 },
  ...over,
});

describe('options of the benchmark', () => {
  it('match the help text', () => {
    expect(parseOptions([])).toMatchObject({
      seconds: 5,
      rounds: 3,
      connections: 64,
      wrk: true,
      portkey: true,
      peers: [],
    });
    expect(parseOptions(['--quick'])).toMatchObject({ seconds: 2, rounds: 1, quick: true });
    expect(parseOptions(['--help'])).toBeUndefined();
    expect(parseOptions(['--set', 'FLOATS=on'])).toMatchObject({ settings: { FLOATS: 'on' } });
    expect(parseOptions(['--peer', 'other=http://127.0.0.1:8/'])).toMatchObject({
      peers: [{ name: 'other', url: 'http://127.0.0.1:8' }],
    });
  });

  it.each([
    [['--seconds', '0'], '--seconds'],
    [['--rounds', 'many'], '--rounds'],
    [['--connections', '0'], '--connections'],
    [['--peer', 'http://127.0.0.1'], '--peer'],
    [['--peer', 'other=https://127.0.0.1'], '--peer'],
    [['--set', 'floats=on'], '--set'],
    [['--nothing'], '--nothing'],
  ])('%j is refused with the name of the option', (args, name) => {
    expect(() => parseOptions(args)).toThrow(name);
  });
});

describe('figures', () => {
  it('the median is one of the rounds’ values', () => {
    expect(median([3, 1, 2], (n) => n)).toBe(2);
    expect(median([4, 1, 2, 3], (n) => n)).toBe(2);
    expect(() => median([], (n: number) => n)).toThrow(RangeError);
  });

  it('counts the CPU time of a process and of its children', async () => {
    const busy = 'const end = Date.now() + 1e9; let n = 0; while (Date.now() < end) n += 1;';
    const program = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(busy)}]);`;
    const child = spawn(process.execPath, ['-e', program], { detached: true });
    const pid = child.pid ?? 0;
    try {
      let used = usedBy(pid);
      // The parent is idle, so half a second can only be the child's.
      while (used.cpuMs < 500) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        used = usedBy(pid);
      }
      expect(used.rss).toBeGreaterThan(1_000_000);
      expect(used.peakRss).toBeGreaterThanOrEqual(used.rss);
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
    expect(usedBy(2 ** 22 + 1)).toEqual({ cpuMs: 0, rss: 0, peakRss: 0 });
  });

  it('counts the CPU time of children that have ended', () => {
    // The child's own half second: this process only waits.
    const burn = 'while (process.cpuUsage().user < 500_000);';
    const before = usedBy(process.pid).cpuMs;
    spawnSync(process.execPath, ['-e', burn]);
    expect(usedBy(process.pid).cpuMs - before).toBeGreaterThanOrEqual(450);
  });

  it('says for each goal whether it is met, and unknown without a figure', () => {
    const list = [
      measured({}),
      measured({
        target: 'tollgate',
        cpuUs: { edge: 80, policy: 30, redis: 20, catalog: 5, postgres: 5 },
        perSecond: 300,
      }),
      measured({
        scenario: ONE_KEY.name,
        target: 'tollgate',
        cpuUs: { edge: 70, policy: 30, redis: 20, catalog: 5, postgres: 5 },
      }),
      measured({
        scenario: withMany('budgets').name,
        target: 'tollgate',
        cpuUs: { edge: 80, policy: 33, redis: 20, catalog: 5, postgres: 5 },
      }),
      measured({ target: 'portkey', cpuUs: { portkey: 480 }, perSecond: 100 }),
      measured({ target: 'bifrost', cpuUs: { bifrost: 200 } }),
      measured({ scenario: 'stream, same format', cpuUs: { floor: 1_040 } }),
      measured({ scenario: 'stream, same format', target: 'tollgate', cpuUs: { edge: 1_280 } }),
    ];
    const of = (scenario: string, target: string): Measured | undefined =>
      list.find((one) => one.scenario === scenario && one.target === target);
    const direct = measured({ target: 'upstream itself' });
    const floor = measured({ cpuUs: { floor: 70 } });
    const tollgate = measured({
      target: 'tollgate',
      cpuUs: { edge: 105, policy: 40 },
      totalUs: { p50: 1_200, p90: 3_000, p99: 9_000, p999: 9_900 },
    });
    const halfLoad = { direct, floor, tollgate };
    const found = goals({ of, halfLoad, ledgerPerSecond: 4_999, idleBytes: 500 * 2 ** 20 });
    expect(found.map(({ figure, met }) => [figure, met])).toEqual([
      ['3.50', true],
      ['2.00', true],
      ['1.50', true],
      ['1.25', true],
      ['0.70', true],
      ['6.00', true],
      ['3.00', true],
      ['0.70', true],
      ['7.00', true],
      ['1.20', true],
      ['not measured', undefined],
      ['not measured', undefined],
      ['1.10', true],
      ['not measured', undefined],
      ['not measured', undefined],
      ['4999', false],
      ['500.00', false],
    ]);
  });
});

describe('skewed keys', () => {
  it('the n-th key is drawn about n times as rarely as the first, and only existing keys are drawn', () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => String(at));
    const drawn = skewed(keys);
    expect(drawn).toEqual(skewed(keys));
    expect(drawn).toHaveLength(10_000);
    const of = (key: string): number => drawn.filter((one) => one === key).length;
    // log(2) / log(10,001) of all draws, and log(11/10) / log(10,001).
    expect(of('0')).toBeGreaterThan(650);
    expect(of('0')).toBeLessThan(860);
    expect(of('9')).toBeLessThan(160);
    expect(drawn.every((key) => keys.includes(key))).toBe(true);
    expect(skewed(['only'])).toEqual(['only']);
  });
});

describe('the output of wrk', () => {
  const figures = 'tollgate elapsed 2000000\ntollgate requests 500\n';
  const latencies = ['p50', 'p90', 'p99', 'p999'].map((name) => `tollgate ${name} 7\n`).join('');

  it('is parsed to an outcome, in which every other status and broken connection is a failure', () => {
    const printed = `${figures}tollgate status 500 3\ntollgate connect 0\ntollgate timeout 2\n${latencies}`;
    expect(outcomeOf(`Running 2s test\n${printed}`)).toMatchObject({
      elapsedMs: 2_000,
      requests: 500,
      failures: { 'status 500': 3, timeout: 2 },
      totalUs: { p50: 7, p999: 7 },
    });
  });

  it('is refused if a figure is missing', () => {
    expect(() => outcomeOf(figures)).toThrow('p50');
  });
});

describe('tables', () => {
  it('have the time per chunk for a thousand open streams, and nothing without an answer', () => {
    const grown = { target: 'floor', perIdleConnection: 2_048, perOpenStream: 4_096 };
    const text = memoryTable(
      [
        { ...grown, streams: measured({ cpuUs: { floor: 240 } }) },
        { ...grown, streams: measured({ requests: 0, failures: { 'status 500': 9 } }) },
      ],
      [],
    );
    const rows = text.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
    expect(rows[2]?.slice(1, 8)).toEqual(['floor', '2.0', '4.0', '10.0', '0.0', '0.0', '']);
    expect(rows[3]?.slice(4, 8)).toEqual(['', '', '', '9 × status 500']);
  });

  it('are Markdown with aligned columns', () => {
    expect(table(['a', 'value'], [['long name', '1']])).toBe(
      ['| a         | value |', '| --------- | ----: |', '| long name |     1 |'].join('\n'),
    );
  });

  it('keep a column without values', () => {
    expect(table(['goal', ''], [['a', '']])).toBe(
      ['| goal |   |', '| ---- | : |', '| a    |   |'].join('\n'),
    );
  });

  it('divide by the floor of the same scenario, and are empty without answers', () => {
    const text = costTable([
      measured({}),
      measured({ target: 'tollgate', cpuUs: { edge: 100, policy: 9 } }),
      measured({ target: 'portkey', requests: 0, failures: { 'status 500': 7 }, perSecond: 0 }),
    ]);
    const rows = text.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
    expect(rows[3]?.slice(1, 7)).toEqual(['unary 1 KB', 'tollgate', '100', '100', '2.50', '9']);
    expect(rows[4]?.slice(4, 8)).toEqual(['', '', '', '7 × status 500']);
  });

  it('have the reason why a peer does not answer, if known', () => {
    const refused = { target: 'portkey', requests: 0, failures: { 'status 500': 7 } };
    expect(noteOn([measured({}), measured(refused)])).toContain('issues 1389');
    expect(noteOn([measured({ ...refused, requests: 1 })])).toBe('');
    expect(noteOn([measured({ ...refused, failures: { ECONNREFUSED: 7 } })])).toBe('');
  });

  it('subtract the upstream’s own latency, and compare with the floor at the same rate', () => {
    const text = latencyTable([
      measured({ target: 'upstream itself', cpuUs: { upstream: 20 } }),
      measured({}),
      measured({
        target: 'tollgate',
        totalUs: { p50: 900, p90: 1_500, p99: 4_000, p999: 6_000 },
        cpuUs: { edge: 100, policy: 9 },
      }),
      measured({ target: 'peer', cpuUs: {} }),
      measured({ target: 'portkey', requests: 0, failures: { 'status 500': 7 } }),
    ]);
    const rows = text.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
    const cpu = (row: number): string[] | undefined => rows[row]?.slice(10, 13);
    expect(rows[4]?.slice(2, 10)).toEqual([
      '0.90',
      '1.50',
      '4.00',
      '6.00',
      '0.40',
      '0.60',
      '2.00',
      '3.00',
    ]);
    expect(cpu(0)).toEqual(['gateway µs', '× floor', 'failed']);
    expect(cpu(2)).toEqual(['', '', '']);
    expect(cpu(3)).toEqual(['40', '1.00', '']);
    expect(cpu(4)).toEqual(['100', '2.50', '']);
    expect(cpu(5)).toEqual(['', '', '']);
    expect(cpu(6)).toEqual(['', '', '7 × status 500']);
  });
});
