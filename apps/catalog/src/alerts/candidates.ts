import {
  ALERT_KINDS,
  ALERT_SUBJECT_TYPES,
  BUDGET_PERIODS,
  QUOTA_METRICS,
  SCOPE_TYPES,
} from '@tollgate/contracts';
import { z } from 'zod';

import type { Tx } from '../db';
import { LIMIT_CANDIDATES } from './limit-candidates';
import type { Spans } from './spans';
import { TRAFFIC_CANDIDATES } from './traffic-candidates';

/**
 * What satisfies a rule and has no alert yet. Each kind of rule is one SQL statement over all
 * organisations, so that its cost does not depend on their number of calls.
 */

const candidateRow = z.object({
  ruleId: z.string(),
  organisationId: z.string().nullable(),
  ruleName: z.string(),
  kind: z.enum(ALERT_KINDS),
  subjectType: z.enum(ALERT_SUBJECT_TYPES),
  subjectId: z.string(),
  /** The name of the subject, or of the scope of a limit. Null: it was deleted meanwhile. */
  name: z.string().nullable(),
  scopeType: z.enum(SCOPE_TYPES).nullable(),
  metric: z.enum(QUOTA_METRICS).nullable(),
  period: z.enum(BUDGET_PERIODS).nullable(),
  windowSeconds: z.int().nullable(),
  windowStart: z.date(),
  windowEnd: z.date(),
  threshold: z.int(),
  limitAmount: z.bigint(),
  value: z.bigint(),
  /** Of an error rate: the requests that it is a part of. */
  total: z.bigint().nullable(),
});
export type Candidate = z.output<typeof candidateRow>;

/** The kinds that the database alone can tell. */
export const STORED_KINDS = [...LIMIT_CANDIDATES.keys(), ...TRAFFIC_CANDIDATES.keys()];
export type StoredKind = (typeof STORED_KINDS)[number];

/** At most `limit` candidates of a kind. */
export async function candidatesOf(
  tx: Tx,
  kind: StoredKind,
  spans: Spans,
  limit: number,
): Promise<Candidate[]> {
  const sql = LIMIT_CANDIDATES.get(kind) ?? TRAFFIC_CANDIDATES.get(kind);
  if (sql === undefined) throw new RangeError(`no statement finds ${kind}`);
  const { rows } = await tx.query({
    name: `alert-candidates-${kind}`,
    text: sql,
    values: [spans.zones, spans.names, spans.starts, spans.ends, spans.instants, limit],
  });
  return rows.map((row) => candidateRow.parse({ ...row, kind }));
}
