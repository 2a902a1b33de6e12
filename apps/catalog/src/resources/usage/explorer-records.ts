import { NOT_RECORDED } from '@tollgate/contracts';

import { tagValueOf } from '../../ledger/records/tag-value';
import { bookedWith } from '../../ledger/rollups/period-sql';
import { firstIdAt, lastIdBefore } from '../../rest/record-ids';
import type { Between } from './explorer-span';

// Sums over records: of regions, end users, sessions, agents, tags, the response cache, experiments and routing
// policies, which have no rollups. A record counts with its adjustments.

export type RecordSpan = Between & {
  readonly organisationId: string;
  /** The key of the tag that is grouped by. */
  readonly tagKey: string | undefined;
};

/** SQL of the rows that meet the conditions, with the columns of a rollup. */
export function recordRows(
  { fromMs, toMs, organisationId, tagKey }: RecordSpan,
  conditions: readonly string[],
  bind: (value: unknown) => string,
): string {
  const [from, to] = [bind(new Date(fromMs)), bind(new Date(toMs))];
  const first = bind(firstIdAt(fromMs));
  const last = bind(lastIdBefore(toMs));
  // Also of adjustments the record's organisation is compared, because the indexes of records begin with it.
  const within = `r.organisation_id = ${bind(organisationId)} AND r.authorised_at >= ${from} AND r.authorised_at < ${to}
    AND r.id >= ${first} AND r.id < ${last}`;
  const tagValue =
    tagKey === undefined ? 'NULL::text' : tagValueOf('r.tags', `${bind(tagKey)}::text`);
  const rows = bookedWith(within, {
    regions: `coalesce(r.regions, '${NOT_RECORDED}')`,
    end_user: 'r.end_user',
    session: 'r.session',
    agent_class: 'r.agent_class',
    response_cache: 'r.response_cache',
    experiment_id: 'r.experiment_id',
    experiment_arm: 'r.experiment_arm',
    routing_policy_id: 'r.routing_policy_id',
    tags: 'r.tags',
    tag_value: tagValue,
  });
  return `SELECT *, authorised_at AS starts, coalesce(latency, 0) AS latency_ms,
      CASE WHEN latency IS NULL THEN 0 ELSE 1 END AS latency_count
    FROM (${rows}) AS booked WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')}`;
}
