import { windowAt, type AlertSpan } from '@tollgate/contracts';
import { z } from 'zod';

import type { Tx } from '../db';
import type { Candidate } from './candidates';
import { PLATFORM_ZONE } from './spans';

/** The platform's rules about the ledger. There are at most a few dozen. */

const rules = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['LEDGER_QUARANTINE', 'LEDGER_LAG']),
    span: z.enum(['HOUR', 'DAY']),
    threshold: z.int(),
  }),
);
const open = z.tuple([z.object({ open: z.bigint() })]);

const RULES = `
  SELECT id, name, kind, condition ->> 'span' AS span,
    coalesce(condition ->> 'entries', condition ->> 'seconds')::integer AS threshold
  FROM alert_rule
  WHERE organisation_id IS NULL AND status = 'ACTIVE'
    AND kind IN ('LEDGER_QUARANTINE', 'LEDGER_LAG')`;

export async function ledgerCandidates(
  tx: Tx,
  lagSeconds: number,
  nowMs: number,
): Promise<Candidate[]> {
  const active = rules.parse((await tx.query(RULES)).rows);
  if (active.length === 0) return [];
  const quarantined = active.some(({ kind }) => kind === 'LEDGER_QUARANTINE')
    ? open.parse(
        (await tx.query(`SELECT count(*) AS open FROM ledger_quarantine WHERE status = 'OPEN'`))
          .rows,
      )[0].open
    : 0n;
  const lag = BigInt(Math.floor(lagSeconds));
  return active.flatMap((rule): Candidate[] => {
    const value = rule.kind === 'LEDGER_QUARANTINE' ? quarantined : lag;
    if (value < BigInt(rule.threshold)) return [];
    const { startMs, endMs } = windowAt(SPECS[rule.span], nowMs, PLATFORM_ZONE);
    return [
      {
        ruleId: rule.id,
        organisationId: null,
        ruleName: rule.name,
        kind: rule.kind,
        subjectType: 'LEDGER',
        subjectId: rule.kind,
        name: null,
        scopeType: null,
        metric: null,
        period: null,
        windowSeconds: null,
        windowStart: new Date(startMs),
        windowEnd: new Date(endMs),
        threshold: rule.threshold,
        limitAmount: 0n,
        value,
        total: null,
      },
    ];
  });
}

const SPECS = {
  HOUR: { windowSeconds: 3_600 },
  DAY: { period: 'DAILY' },
} as const satisfies Record<AlertSpan, object>;
