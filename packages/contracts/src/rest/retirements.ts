import { z } from 'zod';

import { endpoint } from './endpoint';
import { id, usdAmount } from './fields';
import { modelSettings } from './models';
import { retirement } from './retirement';

/** Who still uses models and aliases that come to an end. */

/** Most names of one page. */
export const RETIREMENTS_PAGE = 20;
/** Most keys of one name: those with the most requests. */
export const RETIREMENT_KEYS = 100;
/** Most records that are read for one name: the latest. */
export const RETIREMENT_RECORDS = 10_000;

const ofDays = (days: number) => ({
  description: `In the last ${String(days)} days of the organisation's calendar, today included.`,
});

export const retirementUse = z
  .object({
    apiKeyId: id,
    apiKeyName: z.string(),
    teamId: id.nullable(),
    teamName: z.string().nullable(),
    requests7: z.int().meta(ofDays(7)),
    requests30: z.int().meta(ofDays(30)),
    costUsd7: usdAmount,
    costUsd30: usdAmount,
    lastUsedOn: z.iso.date().meta({ description: "A day of the organisation's calendar." }),
  })
  .meta({ id: 'RetirementUse' });
export type RetirementUse = z.output<typeof retirementUse>;

export const retiringName = z
  .object({
    kind: z.enum(['MODEL', 'ALIAS']),
    id,
    name: z.string(),
    retirement,
    replacement: z.string().nullable().meta({ description: 'The name of the replacement.' }),
    uses: z.array(retirementUse).meta({
      description: `Keys that used it in the last 30 days, most requests first; at most ${String(RETIREMENT_KEYS)}. Of a model: requests that it answered, and those that asked for it and got another one. Of an alias: requests that asked for it.`,
    }),
    moreUses: z.boolean().meta({
      description:
        'There are more keys, or more records than are read: figures are at least these.',
    }),
  })
  .meta({ id: 'RetiringName' });
export type RetiringName = z.output<typeof retiringName>;

export const listRetirements = endpoint({
  id: 'listRetirements',
  tag: 'Model aliases',
  summary: 'Models and aliases with an announced end, and the keys that still use them',
  method: 'GET',
  path: '/api/organisations/:organisationId/retirements',
  access: 'retirements.read',
  query: z.strictObject({
    cursor: modelSettings.name
      .optional()
      .meta({ description: 'The nextCursor of the page before: the name that it ended with.' }),
    limit: z.coerce.number().int().min(1).max(RETIREMENTS_PAGE).default(RETIREMENTS_PAGE),
  }),
  response: z.object({
    data: z.array(retiringName).meta({ description: 'By name.' }),
    nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  }),
});
