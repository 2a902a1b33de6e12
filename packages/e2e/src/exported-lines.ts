import { formatUsd, parseUsd } from '@tollgate/contracts';
import type { Line } from '@tollgate/simulator';

// Reads what a destination of records has received.

/** Access of the storage in tests. */
export const STORAGE_KEY = {
  accessKeyId: 'AKIAE2E',
  secretAccessKey: 'secret/key+of=e2e',
  region: 'auto',
};

/** The id of every line of a type, each once. */
export function idsOf(lines: readonly Line[], recordType: string): string[] {
  return [
    ...new Set(lines.filter((line) => line['recordType'] === recordType).map(({ id }) => id)),
  ];
}

/** What tells lines apart: a record may have several adjustments, and an adjustment several parts. */
export function keyOf(line: Line): string {
  return [line['recordType'], line.id, line['part'] ?? 0].map(String).join(' ');
}

/** The cost of the lines, each counted once, in dollars. */
export function sumOf(lines: readonly Line[]): string {
  const once = new Map(lines.map((line) => [keyOf(line), line]));
  const costs = [...once.values()].map((line) =>
    parseUsd(String(line['costUsd']), { allowNegative: true }),
  );
  return formatUsd(costs.reduce((sum, cost) => sum + cost, 0n));
}
