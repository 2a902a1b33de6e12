import type { Seen } from './client';
import { MIB } from './limits';
import type { Row } from './row';

// The printed table, one line per row.

const NAME_WIDTH = 66;
const ANSWER_WIDTH = 44;
const CELL_WIDTH = 10;

const COLUMNS: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['blocked ms', ({ blockedMs }) => blockedMs.toFixed(0)],
  ['lag ms', ({ lagMs }) => lagMs?.toFixed(0) ?? '–'],
  ['p50', ({ others }) => whole(others.p50Ms)],
  ['p99', ({ others }) => whole(others.p99Ms)],
  ['max', ({ others }) => whole(others.longestMs)],
  ['failed', ({ others }) => `${String(others.failed)}/${String(others.asked)}`],
  ['MiB', ({ memoryBytes }) => (memoryBytes === undefined ? '–' : whole(memoryBytes / MIB))],
  ['s', ({ seconds }) => seconds.toFixed(0)],
];

function whole(value: number): string {
  return Number.isFinite(value) ? value.toFixed(0) : 'never';
}

/** Equal answers are counted: `38 × 401 invalid_api_key 12 ms`, with the longest time of them. */
export function answersText(answers: readonly Seen[]): string {
  const groups = new Map<string, { count: number; ms: number }>();
  for (const { status, code, ms } of answers) {
    const said = `${status === 0 ? 'none' : String(status)} ${code}`.trim();
    const group = groups.get(said) ?? { count: 0, ms: 0 };
    groups.set(said, { count: group.count + 1, ms: Math.max(group.ms, ms) });
  }
  return [...groups]
    .map(([said, { count, ms }]) => {
      const often = count > 1 ? `${String(count)} × ` : '';
      return `${often}${said} ${ms.toFixed(0)} ms`;
    })
    .join(', ');
}

function line(name: string, answer: string, cells: readonly string[]): string {
  const padded = cells.map((cell) => ` ${cell.padStart(CELL_WIDTH)}`);
  return `${name.padEnd(NAME_WIDTH)} ${answer.padEnd(ANSWER_WIDTH)}${padded.join('')}\n`;
}

export function titles(): string {
  return line(
    'input',
    'answer',
    COLUMNS.map(([title]) => title),
  );
}

export function linesOf(row: Row): string {
  const cells = COLUMNS.map(([, cell]) => cell(row));
  const breaches = row.breaches.map((breach) => `  BREACH ${breach}\n`);
  return line(row.name, answersText(row.answers), cells) + breaches.join('');
}
