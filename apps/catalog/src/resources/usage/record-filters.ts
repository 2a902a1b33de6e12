import { NO_REGION, NOT_RECORDED } from '@tollgate/contracts';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import { UsageRecord } from '../../ledger/records/usage-record.entity';
import { listHas } from './lists';
import { withinTime } from './record-pages';

/** Which usage records are asked for. */

export const AUTHORISED_AT = {
  name: 'authorisedAt',
  of: (row: UsageRecord): Date => row.authorisedAt,
};

const FILTERS = [
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'providerId',
  'mcpServerId',
  'outcome',
  'mode',
  'httpStatus',
  'errorCode',
  'clientRequestId',
  'endUser',
  'session',
  'agentId',
  'agentClass',
  'responseCache',
  'experimentId',
  'experimentArm',
  'routingPolicyId',
] as const;

export type RecordFilter = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** `policy/rule` */
  readonly screening?: string | undefined;
  /** `key:value` */
  readonly tag?: string | undefined;
  /** The name of one, or one of the words of `regions.ts` in contracts. */
  readonly region?: string | undefined;
  /** Only records that do not say that every attempt was in one of these. */
  readonly notWithin?: readonly string[] | undefined;
} & Readonly<Partial<Record<(typeof FILTERS)[number], string | number | undefined>>>;

/** Without order, and without the caller's reach. */
export function matchingRecords(
  db: EntityManager,
  organisationId: string,
  filter: RecordFilter,
): SelectQueryBuilder<UsageRecord> {
  const rows = db
    .createQueryBuilder(UsageRecord, 'record')
    .where('record.organisationId = :organisationId', { organisationId });
  withinTime(rows, AUTHORISED_AT, filter);
  for (const field of FILTERS) {
    const value = filter[field];
    if (value !== undefined) rows.andWhere(`record.${field} = :${field}`, { [field]: value });
  }
  if (filter.screening !== undefined) {
    rows.andWhere(`record.screening IS NOT NULL AND ', ' || record.screening LIKE :screening`, {
      screening: `%, ${filter.screening};%`,
    });
  }
  if (filter.tag !== undefined) {
    rows.andWhere(`record.tags IS NOT NULL AND ${listHas('record.tags', ':tag')}`, {
      tag: filter.tag,
    });
  }
  if (filter.region !== undefined) withRegion(rows, filter.region);
  if (filter.notWithin !== undefined) {
    rows.andWhere(
      `(record.regions IS NULL OR NOT string_to_array(record.regions, ', ') <@ :within::text[])`,
      { within: [...filter.notWithin, NO_REGION] },
    );
  }
  return rows;
}

function withRegion(rows: SelectQueryBuilder<UsageRecord>, region: string): void {
  if (region === NOT_RECORDED) {
    rows.andWhere('record.regions IS NULL');
    return;
  }
  rows.andWhere(`record.regions IS NOT NULL AND ${listHas('record.regions', ':region')}`, {
    region,
  });
}
