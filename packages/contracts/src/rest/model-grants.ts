import { z } from 'zod';

import { MODEL_GRANTS_MAX, MODEL_PATTERN_MAX, MODEL_PATTERN_STARS_MAX } from '../model-grants';
import { id } from './fields';

const pattern = z
  .string()
  .regex(/^[A-Za-z0-9._:/@+*-]+$/, 'letters, digits and . _ : / @ + - *, at least one of them')
  .max(MODEL_PATTERN_MAX, `a pattern has at most ${String(MODEL_PATTERN_MAX)} characters`)
  .refine(
    (text) => text.split('*').length - 1 <= MODEL_PATTERN_STARS_MAX,
    `a pattern has at most ${String(MODEL_PATTERN_STARS_MAX)} stars`,
  )
  .meta({
    description:
      'Matches the whole name of a model, case-sensitive; * stands for any number of characters.',
  });

/** A grant that is applied to the organisation's models at each request, including later ones. */
export const modelGrant = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ALL') }),
    z.strictObject({ kind: z.literal('PROVIDER'), providerId: id }),
    z.strictObject({ kind: z.literal('PATTERN'), pattern }),
  ])
  .meta({
    id: 'ModelGrant',
    description:
      'Grants all models of the organisation that match at the time of a request: all, those of one provider, or those whose name matches a pattern.',
  });
export type ModelGrant = z.output<typeof modelGrant>;

export const standingGrants = z
  .array(modelGrant)
  .max(MODEL_GRANTS_MAX)
  .refine(
    (grants) => new Set(grants.map((grant) => JSON.stringify(grant))).size === grants.length,
    'each grant once',
  )
  .meta({ description: 'In addition to modelIds: a key may use the models of both.' });

/** Models that a key may use, each by itself. */
export const modelIds = z
  .array(id)
  .max(1000)
  .refine((ids) => new Set(ids).size === ids.length, 'each model once');
