import type { ColumnOptions } from 'typeorm';

/**
 * Options of a 64-bit column. PostgreSQL's driver hands int8 over as text, because a JavaScript
 * number is inexact beyond 2^53; entities carry a bigint.
 */
export const bigintColumn: ColumnOptions = {
  type: 'bigint',
  transformer: {
    from: (stored: string | bigint | null): bigint | null =>
      stored === null ? null : BigInt(stored),
    to: (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value),
  },
};

/** The body of a CHECK that lets a text column hold these words only. */
export function oneOf(column: string, words: readonly string[]): string {
  return `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`;
}

/** No amount of money may pass this: beyond 2^53 the counters' scripts would be inexact. */
export const MAX_NANO_USD_SQL = '9000000000000000';
