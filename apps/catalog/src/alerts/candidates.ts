import {
  ALERT_KINDS,
  ALERT_SUBJECT_TYPES,
  BUDGET_PERIODS,
  LIMIT_SCOPES,
  QUOTA_METRICS,
} from '@tollgate/contracts';
import { z } from 'zod';

import type { Tx } from '../db';
import { LIMIT_CANDIDATES } from './limit-candidates';
import type { Spans } from './spans';
import { TRAFFIC_CANDIDATES } from './traffic-candidates';
import { VALUE_CANDIDATES } from './value-candidates';

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
  scopeType: z.enum(LIMIT_SCOPES).nullable(),
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
  /** Of a limit on each value: those that have reached the threshold. */
  values: z
    .object({
      /** At most `COUNTED_MAX`. */
      count: z.int(),
      /** Of TAG: the key of the tag. */
      tagKey: z.string().nullable(),
      /** Those that have used most. A null name is not in the records any more. */
      first: z.array(z.object({ name: z.string().nullable(), amount: z.string() })),
    })
    .nullish(),
  /** Of a limit on each value: its window. That of the alert is an hour in it. */
  limitStart: z.date().optional(),
  limitEnd: z.date().optional(),
});
export type Candidate = z.output<typeof candidateRow>;

interface CandidateStatement {
  readonly kind: Candidate['kind'];
  /** Of prepared statements. */
  readonly name: string;
  readonly sql: string;
}

const namedStatements = (
  statements: ReadonlyMap<string, string>,
  suffix: string,
): CandidateStatement[] =>
  [...statements].map(([kind, sql]) => ({
    kind: z.enum(ALERT_KINDS).parse(kind),
    name: `alert-candidates-${kind}${suffix}`,
    sql,
  }));

/** What the database alone can tell. */
export const CANDIDATE_STATEMENTS: readonly CandidateStatement[] = [
  ...namedStatements(LIMIT_CANDIDATES, ''),
  ...namedStatements(VALUE_CANDIDATES, '-values'),
  ...namedStatements(TRAFFIC_CANDIDATES, ''),
];

/** At most `limit` candidates. */
export async function candidatesOf(
  tx: Tx,
  { kind, name, sql }: CandidateStatement,
  spans: Spans,
  limit: number,
): Promise<Candidate[]> {
  const { rows } = await tx.query({
    name,
    text: sql,
    values: [spans.zones, spans.names, spans.starts, spans.ends, spans.instants, limit],
  });
  return rows.map((row) => candidateRow.parse({ ...row, kind }));
}
