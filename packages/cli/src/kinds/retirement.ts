import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { objectName, reference } from './fields';
import type { Ids, Part, Reference } from './kind';
import type { ModelRow } from './prices';

/** The announced end of a model or of an alias; the replacement by name. */

const { replacementModelId: _id, ...fields } = rest.retirementFields;

export const retirementSpec = z
  .strictObject({
    ...fields,
    replacement: objectName
      .nullable()
      .default(null)
      .meta({ description: 'The name of the model to use instead.' }),
  })
  .superRefine((value, context) => {
    const replacement = { field: 'replacement', given: value.replacement !== null };
    for (const { path, message } of rest.retirementFaults(value, replacement)) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .nullable()
  .meta({ description: 'Null: it has no announced end.' });
type RetirementSpec = z.output<typeof retirementSpec>;

/** `replacement`: the name of the one that `row` has; undefined: it no longer exists. */
export function retirementRead(
  row: rest.Retirement | null,
  replacement: string | undefined,
): RetirementSpec {
  if (row === null) return null;
  const { replacementModelId: _stored, ...same } = row;
  return { ...same, replacement: replacement ?? null };
}

/** Instants in one form, for comparing. */
export function normalRetirement(given: RetirementSpec): RetirementSpec {
  if (given === null) return null;
  const { deprecatedAt, sunsetAt } = given;
  return { ...given, deprecatedAt: utc(deprecatedAt), sunsetAt: utc(sunsetAt) };
}

export function retirementBody(given: RetirementSpec, ids: Ids): rest.Retirement | null {
  if (given === null) return null;
  const { replacement, ...same } = given;
  const replacementModelId = replacement === null ? null : ids.of('Model', replacement);
  return { ...same, replacementModelId };
}

export function retirementReference(given: RetirementSpec): Reference[] {
  return reference('Model', given?.replacement, ['retirement', 'replacement']);
}

export function utc(instant: string | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

function isSame(a: RetirementSpec, b: RetirementSpec): boolean {
  if (a === null || b === null) return a === b;
  const names = ['deprecatedAt', 'sunsetAt', 'replacement', 'onSunset', 'url'] as const;
  return names.every((name) => a[name] === b[name]);
}

/** A model may be replaced by one that is created after it. */
export const modelRetirement: Part<ModelRow> = {
  field: 'retirement',
  changes: (wanted, row) => {
    const after = normalRetirement(retirementSpec.parse(wanted['retirement']));
    const stored = row?.model.retirement ?? null;
    const before = normalRetirement(retirementRead(stored, row?.replacement));
    if (isSame(before, after)) return [];
    return [
      {
        path: 'retirement',
        before,
        after,
        last: true,
        run: async (api, params, ids) => {
          const body = { retirement: retirementBody(after, ids) };
          await api.ask(rest.updateModel, { params, body });
        },
      },
    ];
  },
};
