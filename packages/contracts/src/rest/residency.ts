import { z } from 'zod';

import { MOST_REGIONS, regionName } from '../regions';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, usdAmount } from './fields';
import { RECORD_MODES, recordFilters } from './usage';
import { USAGE_EXPORT_DAYS } from './usage-exports';

/** Where requests were processed, as their records say. */

/** The longest range of one report: a quarter, as of an export. */
export const RESIDENCY_DAYS = USAGE_EXPORT_DAYS;
/** Most records that a report names; all of them are in its CSV. */
export const RESIDENCY_RECORDS = 100;

/**
 * INSIDE: every attempt was in one of the regions. NOT_SENT: no upstream was called. OUTSIDE: an attempt
 * was elsewhere. UNKNOWN: an attempt's connection had no region, or the gateway does not know the attempts.
 * NOT_RECORDED: the record is of a release that did not record regions.
 */
export const RESIDENCY_VERDICTS = [
  'INSIDE',
  'NOT_SENT',
  'OUTSIDE',
  'UNKNOWN',
  'NOT_RECORDED',
] as const;
export type ResidencyVerdict = (typeof RESIDENCY_VERDICTS)[number];

const verdict = z.enum(RESIDENCY_VERDICTS);
const regions = z.string().nullable().meta({
  description: 'As in the record: `eu, us`, `unknown`, `none`. Null: the record has no regions.',
});

export const residencyReport = z
  .object({
    from: instant,
    to: instant,
    regions: z.array(z.string()),
    stayed: z.boolean().meta({
      description:
        'Whether every booked request of the period is INSIDE or NOT_SENT, and none of its records have been removed.',
    }),
    recordsFrom: instant.nullable().meta({
      description: 'Records before this instant have been removed by retention; null: none.',
    }),
    totals: z.record(verdict, z.int()).meta({ description: 'Requests by verdict.' }),
    counts: z
      .array(
        z.object({
          regions,
          verdict,
          requests: z.int(),
          costUsd: usdAmount,
          firstAt: instant,
          lastAt: instant,
        }),
      )
      .meta({
        description: 'Requests by their regions, most first. Costs are without corrections.',
      }),
    records: z
      .array(
        z.object({
          id,
          authorisedAt: instant,
          apiKeyId: id,
          teamId: id.nullable(),
          model: z.string(),
          providerId: id.nullable(),
          mcpServerId: id.nullable(),
          operation: z.string(),
          mode: z.enum(RECORD_MODES),
          regions,
          verdict,
        }),
      )
      .meta({
        description: `The first ${RESIDENCY_RECORDS} that are OUTSIDE, UNKNOWN or NOT_RECORDED, oldest first.`,
      }),
    moreRecords: z.boolean(),
  })
  .meta({ id: 'ResidencyReport' });
export type ResidencyReport = z.output<typeof residencyReport>;

const { teamId, userId, apiKeyId, modelId, providerId, mcpServerId } = recordFilters;

const query = z.strictObject({
  regions: z
    .string()
    .max(MOST_REGIONS * 40)
    .refine((text) => {
      const names = text.split(',');
      return (
        names.length <= MOST_REGIONS && names.every((name) => regionName.safeParse(name).success)
      );
    }, `1 to ${MOST_REGIONS} regions, separated by commas, such as eu,eu-west-1`)
    .optional()
    .meta({
      description:
        'In which regions the requests should have stayed, as `eu,eu-west-1`. Absent: the allowed regions of the organisation; without any, every region is outside.',
    }),
  from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
  to: givenInstant.optional().meta({ description: 'Absent: now.' }),
  teamId,
  userId,
  apiKeyId,
  modelId,
  providerId,
  mcpServerId,
});

const root = '/api/organisations/:organisationId/usage/residency';
const tag = 'Usage';

export const getResidencyReport = endpoint({
  id: 'getResidencyReport',
  tag,
  summary: `Whether requests stayed in regions: at most ${RESIDENCY_DAYS} days for each report`,
  method: 'GET',
  path: root,
  access: 'usage.read',
  query,
  response: residencyReport,
});

export const exportResidencyReport = endpoint({
  id: 'exportResidencyReport',
  tag,
  summary: 'The same as CSV, with every record that is not inside',
  method: 'GET',
  path: `${root}/export`,
  access: 'usage.read',
  query,
  response: z.string(),
  produces: 'text/csv',
});
