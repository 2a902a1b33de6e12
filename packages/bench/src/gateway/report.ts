import type { Goal } from './goals';
import type { Growth } from './growth';
import type { Measured } from './measure';
import { SLOW_CHUNKS } from './wire';

/** Markdown tables, for use in a page. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(1, cell.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** CPU by process and throughput; columns of missing processes are empty. */
export function costTable(measured: readonly Measured[]): string {
  // A target of one process has that process's figure under "gateway µs".
  const targets = new Set(measured.map(({ target }) => target));
  const names = [...new Set(measured.flatMap(({ cpuUs }) => Object.keys(cpuUs)))].filter(
    (name) => !targets.has(name),
  );
  const head = [
    'scenario',
    'target',
    'requests/s',
    'gateway µs',
    '× floor',
    ...names.slice(1),
    'failed',
  ];
  const floors = new Map(
    measured.filter(({ target }) => target === 'floor').map((one) => [one.scenario, one]),
  );
  const rows = measured.map((one) => {
    const gateway = gatewayUs(one);
    const floor = floors.get(one.scenario)?.cpuUs['floor'];
    return [
      one.scenario,
      one.target,
      one.perSecond.toFixed(0),
      ...(one.requests === 0
        ? ['', '', ...names.slice(1).map(() => '')]
        : [
            gateway.toFixed(0),
            floor === undefined ? '' : (gateway / floor).toFixed(2),
            ...names.slice(1).map((name) => one.cpuUs[name]?.toFixed(0) ?? ''),
          ]),
      failed(one),
    ];
  });
  return table(head, rows);
}

/** Why a peer has no figure, if known; else empty. */
export function noteOn(measured: readonly Measured[]): string {
  const silent = measured.some(
    ({ target, requests, failures }) =>
      target === 'portkey' && requests === 0 && 'status 500' in failures,
  );
  return silent
    ? "\nportkey: answers streams with 500, whose headers it tries to change although fetch's cannot be\n" +
        '(its issues 1389 and 1550); the same on Node 20 and 24.\n'
    : '';
}

/** CPU of the process between client and upstream: the first that a target names. */
const gatewayUs = ({ cpuUs }: Measured): number => Object.values(cpuUs)[0] ?? Number.NaN;

function failed({ failures }: Measured): string {
  return Object.entries(failures)
    .map(([why, count]) => `${String(count)} × ${why}`)
    .join(', ');
}

/**
 * Latencies of an open loop: whole answers in milliseconds, absolute and beyond the upstream's own;
 * and CPU of the process between client and upstream, at the same rate for all.
 */
export function latencyTable(measured: readonly Measured[]): string {
  const direct = measured.find(({ target }) => target === 'upstream itself');
  const floorUs = measured.find(({ target }) => target === 'floor')?.cpuUs['floor'];
  const ms = (us: number): string => (us / 1_000).toFixed(2);
  const keys = ['p50', 'p90', 'p99', 'p999'] as const;
  const rows = measured.map((one) => [
    one.target,
    ...keys.map((key) => ms(one.totalUs[key])),
    ...keys.map((key) =>
      direct === undefined || one === direct ? '' : ms(one.totalUs[key] - direct.totalUs[key]),
    ),
    ...(one === direct || one.requests === 0 || Number.isNaN(gatewayUs(one))
      ? ['', '']
      : [
          gatewayUs(one).toFixed(0),
          floorUs === undefined ? '' : (gatewayUs(one) / floorUs).toFixed(2),
        ]),
    failed(one),
  ]);
  const added = ['added p50', 'p90', 'p99', 'p99.9'];
  const cpu = ['gateway µs', '× floor'];
  return table(['target', 'p50 ms', 'p90', 'p99', 'p99.9', ...added, ...cpu, 'failed'], rows);
}

/** Memory of all processes of each target before its first load. */
export function idleTable(bytes: Readonly<Record<string, number | undefined>>): string {
  const rows = Object.entries(bytes).map(([name, used]) => [
    name,
    used === undefined ? 'unknown' : (used / 1_048_576).toFixed(0),
  ]);
  return table(['idle', 'MiB'], rows);
}

export function memoryTable(grown: readonly Growth[], peaks: readonly Measured[]): string {
  const kb = (bytes: number): string => (bytes / 1_024).toFixed(1);
  const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0);
  return [
    table(
      [
        'target',
        'KB per idle connection',
        'KB per open stream',
        '1,000 slow streams: µs per chunk',
        'first byte p50 ms',
        'p99',
        'failed',
      ],
      grown.map(({ target, perIdleConnection, perOpenStream, streams }) => [
        target,
        kb(perIdleConnection),
        kb(perOpenStream),
        ...(streams.requests === 0
          ? ['', '', '']
          : [
              (gatewayUs(streams) / SLOW_CHUNKS).toFixed(1),
              (streams.firstUs.p50 / 1_000).toFixed(1),
              (streams.firstUs.p99 / 1_000).toFixed(1),
            ]),
        failed(streams),
      ]),
    ),
    '',
    table(
      ['process', 'peak MB'],
      peaks.flatMap(({ peakRss }) =>
        Object.entries(peakRss).map(([name, bytes]) => [name, mb(bytes)]),
      ),
    ),
  ].join('\n');
}

export function goalTable(goals: readonly Goal[]): string {
  const word = ({ met }: Goal): string => (met === undefined ? '' : met ? 'met' : 'missed');
  return table(
    ['goal', 'figure', ''],
    goals.map((goal) => [goal.goal, goal.figure, word(goal)]),
  );
}
