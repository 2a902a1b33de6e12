import { rest, restError } from '@tollgate/contracts';
import { uuidv7Time } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
import { RequestDecisionDay } from '../../ledger/reports/request-decision-day.entity';
import { RequestDecision } from '../../ledger/reports/request-decision.entity';
import type { Call } from '../../rest/call';

const DAY_MS = 86_400_000;

/** Why a request was allowed or refused, or why that is not known any more. */
export async function getDecision(
  call: Call<typeof rest.getRequestDecision>,
): Promise<rest.RequestDecision> {
  const { db, nowMs, organisation, params } = call;
  const asked = { organisationId: organisation.id, requestId: params.requestId };
  const settings = await db.findOneByOrFail(Organisation, { id: organisation.id });
  const { keepDecisions, keepDecisionsDays, retentionDays } = settings;
  const days = Math.min(keepDecisionsDays, retentionDays ?? keepDecisionsDays);
  const base = { requestId: asked.requestId, keepDecisions, keepDecisionsDays: days };
  const oldestMs = nowMs - days * DAY_MS;
  const kept = await db.findOneBy(RequestDecision, asked);
  // Housekeeping may be some minutes late.
  if (kept !== null && kept.decidedAt.getTime() >= oldestMs) {
    const { apiKeyId, decidedAt, decision, model, operation } = kept;
    return {
      ...base,
      state: 'KEPT',
      reason: null,
      decidedAt: decidedAt.toISOString(),
      apiKeyId,
      model: model || null,
      operation: operation || null,
      decision,
    };
  }
  const isBooked = await db.exists(UsageRecord, {
    where: { id: asked.requestId, organisationId: organisation.id },
  });
  // The request's own time, which its id has.
  const isOld = kept !== null || (madeAtMs(asked.requestId) ?? nowMs) < oldestMs;
  const isRemoved = isOld && keepDecisions !== 'OFF';
  const absent = {
    ...base,
    state: isRemoved ? ('REMOVED' as const) : ('NOT_KEPT' as const),
    reason: isRemoved ? null : await whyNotKept(db, asked, { keepDecisions, isBooked }),
  };
  if (!isBooked) throw absence(absent);
  const none = { decidedAt: null, apiKeyId: null, model: null, operation: null, decision: null };
  return { ...absent, ...none };
}

// A request without a record may be anybody's or nobody's: the answer follows from its id and the settings alone.
function absence(absent: Parameters<typeof rest.absentDecision>[0]): Error {
  const { text, title } = rest.absentDecision(absent);
  return restError('not_found', `${title}. ${text}`);
}

async function whyNotKept(
  db: EntityManager,
  { organisationId, requestId }: { organisationId: string; requestId: string },
  { isBooked, keepDecisions }: Pick<rest.RequestDecision, 'keepDecisions'> & { isBooked: boolean },
): Promise<NonNullable<rest.RequestDecision['reason']>> {
  if (keepDecisions === 'OFF') return 'OFF';
  if (keepDecisions === 'REFUSED' && isBooked) return 'ALLOWED';
  const atMs = madeAtMs(requestId);
  if (atMs === undefined) return 'UNKNOWN';
  const day = new Date(atMs).toISOString().slice(0, 10);
  const counted = await db.findOneBy(RequestDecisionDay, { organisationId, day });
  return counted?.isFull === true ? 'DAY_FULL' : 'UNKNOWN';
}

/** When the gateway made an id; undefined: it is not one of the gateway. */
function madeAtMs(requestId: string): number | undefined {
  return requestId.charAt(14) === '7' ? uuidv7Time(requestId.toLowerCase()) : undefined;
}
