import { z } from 'zod';

import type { UsageFieldGroup, UsageFieldKind, UsageFieldKinds } from '../usage-field-kinds';
import { USAGE_FIELD_LIST, type ShownUsageFieldKinds } from '../usage-fields';
import { id, usdAmount } from './fields';

const SCHEMAS = {
  text: z.string(),
  optionalText: z.string().nullable(),
  flag: z.boolean(),
  integer: z.int(),
  optionalInteger: z.int().nullable(),
  tokens: z.int(),
  nanoUsd: usdAmount,
  optionalNanoUsd: usdAmount.nullable(),
  optionalId: id.nullable(),
} satisfies { [Kind in UsageFieldKind]: z.ZodType<UsageFieldKinds[Kind]['shown']> };

type Shape<Kinds> = {
  [Name in keyof Kinds]: Kinds[Name] extends UsageFieldKind ? (typeof SCHEMAS)[Kinds[Name]] : never;
};

/** The schemas of the plain fields of a group. */
export function usageFieldShape<Group extends UsageFieldGroup>(
  group: Group,
): Shape<ShownUsageFieldKinds<Group>> {
  const schemas = USAGE_FIELD_LIST.filter((field) => field.group === group).map(
    ({ shown, kind, description }) => [
      shown,
      description === undefined ? SCHEMAS[kind] : SCHEMAS[kind].meta({ description }),
    ],
  );
  return Object.fromEntries(schemas) as Shape<ShownUsageFieldKinds<Group>>;
}
