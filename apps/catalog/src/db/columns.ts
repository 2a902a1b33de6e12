import type { ColumnOptions } from 'typeorm';

/**
 * A 64-bit column as a bigint. The driver returns int8 as text, because a JavaScript number is
 * inexact beyond 2^53.
 */
export const bigintColumn: ColumnOptions = {
  type: 'bigint',
  transformer: {
    from: (stored: string | bigint | null): bigint | null =>
      stored === null ? null : BigInt(stored),
    to: (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value),
  },
};

/** Filled by the database only, and left out of reads: it orders the export of rows. */
export const writtenXidColumn: ColumnOptions = {
  ...bigintColumn,
  nullable: true,
  default: () => 'write_xid()',
  select: false,
  insert: false,
  update: false,
};

/** The body of a CHECK that restricts a text column to these words. */
export function oneOf(column: string, words: readonly string[]): string {
  return `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`;
}

/** The largest amount of money: the counters' Lua scripts are inexact beyond 2^53. */
export const MAX_NANO_USD_SQL = '9000000000000000';
