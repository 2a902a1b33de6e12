import type { SettleRequest__Output } from './generated';
import type { UsageFieldKind } from './usage-field-kinds';
import { USAGE_FIELD_LIST, type USAGE_FIELDS, type UsageFieldName } from './usage-fields';

// The largest that policy accepts in the recorded fields of a settle.

type SettledNumber = {
  [Name in keyof SettleRequest__Output]: SettleRequest__Output[Name] extends number ? Name : never;
}[keyof SettleRequest__Output];

/** The recorded numbers of a settle, with the largest that policy accepts. */
export const SETTLED_NUMBERS = bounded([
  'integer',
  'optionalInteger',
]) as readonly Bounded<SettledNumber>[];

type SettledText = {
  [Name in keyof SettleRequest__Output & UsageFieldName]: (typeof USAGE_FIELDS)[Name] extends {
    most: number;
  }
    ? SettleRequest__Output[Name] extends string
      ? Name
      : never
    : never;
}[keyof SettleRequest__Output & UsageFieldName];

/** The recorded texts of a settle that are bounded, with the longest that policy accepts. */
export const SETTLED_TEXTS = bounded(['text', 'optionalText']) as readonly Bounded<SettledText>[];

interface Bounded<Name> {
  readonly name: Name;
  readonly column: string;
  readonly most: number;
}

function bounded(kinds: readonly UsageFieldKind[]): Bounded<UsageFieldName>[] {
  return USAGE_FIELD_LIST.flatMap(({ name, column, kind, most }) =>
    most === undefined || !kinds.includes(kind) ? [] : [{ name, column, most }],
  );
}
