import { In } from 'typeorm';

import { AuditEvent } from '../../audit/audit-event.entity';
import type { RecordReaders } from '../../exports';
import { UsageAdjustment } from '../../ledger/records/usage-adjustment.entity';
import { represent as representEvents } from '../audit-events/audit-events';
import { mcpRecordsOf } from '../usage/mcp-records';
import { represent as representAdjustment } from '../usage/usage-adjustments';
import { representTokens, wholeRecordsOf } from '../usage/usage-records';

/** The lines of an export: the fields and names of the REST API. */
export const recordReaders: RecordReaders = {
  USAGE: wholeRecordsOf,
  MCP_USAGE: mcpRecordsOf,
  ADJUSTMENT: async (db, ids) => {
    const rows = await db.findBy(UsageAdjustment, { id: In([...ids]) });
    return new Map(rows.map((row) => [row.id, wholeAdjustment(row)]));
  },
  AUDIT: async (db, ids) => {
    const rows = await db.findBy(AuditEvent, { id: In([...ids]) });
    const events = await representEvents(db, rows);
    return new Map(events.map((event) => [event.id, event]));
  },
};

/** With every difference, so that records and adjustments add up to what was booked. */
function wholeAdjustment(row: UsageAdjustment): object {
  return {
    ...representAdjustment(row),
    part: row.part,
    outcome: row.outcome,
    requests: row.requests,
    errors: row.errors,
    tokens: representTokens(row),
    upstreamMs: Number(row.upstreamMs),
    units: row.units,
    priceId: row.priceId,
    serviceTier: row.serviceTier,
  };
}
