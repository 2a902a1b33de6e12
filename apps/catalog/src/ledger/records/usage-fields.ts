import {
  USAGE_FIELD_LIST,
  type StoredUsageFields,
  type UsageField,
  type UsageFieldKind,
  type UsageFieldKinds,
} from '@tollgate/contracts';
import { emptySettle, type Entry__Output } from '@tollgate/contracts/node';
import { Column, type ColumnOptions, type ColumnType } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { cleanText, nanoUsdOf, optionalIdOf } from './entry-values';

/** How a kind of field is booked and stored. */
interface StoredKind<Wire, Stored> {
  readonly column: ColumnOptions & { readonly type: ColumnType };
  /** `most`: the longest text that is kept whole. Undefined: the value cannot be booked. */
  book(wire: Wire, most?: number): Stored | undefined;
}

const KINDS: {
  readonly [Kind in UsageFieldKind]: StoredKind<
    UsageFieldKinds[Kind]['wire'],
    UsageFieldKinds[Kind]['stored']
  >;
} = {
  text: { column: { type: 'text' }, book: (text, most) => cleanText(text, most) ?? '' },
  optionalText: { column: { type: 'text', nullable: true }, book: cleanText },
  flag: { column: { type: 'boolean' }, book: (flag) => flag },
  integer: { column: { type: 'integer' }, book: (count) => count },
  optionalInteger: {
    column: { type: 'integer', nullable: true },
    book: (count) => (count === 0 ? null : count),
  },
  tokens: { column: { ...bigintColumn, type: 'bigint' }, book: BigInt },
  nanoUsd: { column: { ...bigintColumn, type: 'bigint' }, book: nanoUsdOf },
  optionalNanoUsd: {
    column: { ...bigintColumn, type: 'bigint', nullable: true },
    book: (text) => (text === '' ? null : nanoUsdOf(text)),
  },
  optionalId: { column: { type: 'uuid', nullable: true }, book: optionalIdOf },
};

interface StoredField extends UsageField {
  readonly stored: StoredKind<unknown, unknown>;
}
const FIELDS: readonly StoredField[] = USAGE_FIELD_LIST.map((field) => ({
  ...field,
  stored: KINDS[field.kind],
}));

/** Defines the columns of the plain fields on the prototype of an entity. */
export function defineUsageFieldColumns(prototype: object): void {
  for (const { name, stored } of FIELDS) Column(stored.column)(prototype, name);
}

/** Column, SQL type and name of each plain field. */
export const USAGE_FIELD_COLUMNS = FIELDS.map(
  ({ column, name, stored }) => [column, String(stored.column.type), name] as const,
);

const NO_SETTLE = emptySettle();

/** Reads the plain fields of an entry; `fail` gets the name of one that cannot be booked. */
export function bookUsageFields(
  wire: Entry__Output,
  fail: (field: string) => never,
): StoredUsageFields {
  const sources = { entry: valuesOf(wire), settle: valuesOf(wire.settle ?? NO_SETTLE) };
  const booked: Record<string, unknown> = {};
  for (const { name, column, from, most, stored } of FIELDS) {
    const value = stored.book(sources[from][name], most);
    booked[name] =
      value === undefined ? fail(from === 'settle' ? `settle.${column}` : column) : value;
  }
  return booked as StoredUsageFields;
}

function valuesOf(message: object): Readonly<Record<string, unknown>> {
  return message as Readonly<Record<string, unknown>>;
}
