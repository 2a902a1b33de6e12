import { z } from 'zod';

import { isOneOf, LIMIT_SCOPES, VALUE_SCOPES } from '../enums';
import { clientTagKey } from '../usage-tags';
import { id } from './fields';

/** What a limit binds, and the fields that only limits on each value have. */

const SCOPE_DESCRIPTION =
  'What the limit binds. With END_USER, SESSION or TAG each end user, session or value of a tag has the whole ' +
  'limit for itself, among the requests of the organisation, team or API key that `id` names.';
export const tagKeyOfScope = clientTagKey
  .optional()
  .meta({ description: 'Of TAG: the key of the tag.' });

export const scope = z
  .strictObject({ type: z.enum(LIMIT_SCOPES), id, tagKey: tagKeyOfScope })
  .refine((value) => (value.type === 'TAG') === (value.tagKey !== undefined), {
    path: ['tagKey'],
    message: 'is required with TAG and not allowed with other scopes',
  })
  .meta({ id: 'Scope', description: SCOPE_DESCRIPTION });
export type Scope = z.output<typeof scope>;
export const answeredScope = z
  .object({ type: z.enum(LIMIT_SCOPES), id, tagKey: tagKeyOfScope })
  .meta({ id: 'LimitScope', description: SCOPE_DESCRIPTION });

/** Whether `scope` and the fields that only limits on each value have go together. */
export interface ScopedFields {
  readonly scope: Scope;
  readonly period?: string | undefined;
  readonly requireValue: boolean;
}
const hasValues = ({ scope: { type } }: ScopedFields): boolean => isOneOf(VALUE_SCOPES, type);
export const valueRequired: readonly [
  (fields: ScopedFields) => boolean,
  { path: string[]; message: string },
] = [
  (fields) => hasValues(fields) || !fields.requireValue,
  { path: ['requireValue'], message: 'only with the scopes END_USER, SESSION and TAG' },
];
export const lifetimeOfValues: typeof valueRequired = [
  (fields) => hasValues(fields) || fields.period !== 'LIFETIME',
  { path: ['period'], message: 'LIFETIME only with the scopes END_USER, SESSION and TAG' },
];

export const keysInScope = z
  .object({
    active: z.int().meta({ description: 'Active API keys of what `scope.id` names.' }),
    trusted: z.int().meta({ description: 'Those of them whose names are trusted.' }),
  })
  .optional()
  .meta({
    id: 'KeysInScope',
    description:
      'Of a limit on each value. Only names that trusted keys send count: with no trusted key it counts nothing.',
  });

export const requireValue = z.boolean().meta({
  description:
    'With END_USER, SESSION or TAG: whether a request that names no value is refused. Otherwise the limit does not count it.',
});
