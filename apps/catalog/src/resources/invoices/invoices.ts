import { formatUsd, restError, windowAt, type rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import { localDate } from '../../ledger/rollups/booking-groups';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { idKey, readPage } from '../../rest/paging';
import { computeLines } from './compute-lines';
import { Invoice } from './invoice.entity';

/** Invoices: drafted, issued, voided. `compute-lines.ts` computes their lines. */

const CENT_NANO_USD = 10_000_000n;

/** Rounds half a cent away from zero. */
export function roundToCents(nanoUsd: bigint): bigint {
  const size = nanoUsd < 0n ? -nanoUsd : nanoUsd;
  const rounded = ((size + CENT_NANO_USD / 2n) / CENT_NANO_USD) * CENT_NANO_USD;
  return nanoUsd < 0n ? -rounded : rounded;
}

type Recipient = Pick<rest.Invoice, 'billingName' | 'billingAddress' | 'taxNumber'>;

/** As the organisation has it now; its own name stands in for a missing one. */
function recipientNow(organisation: Organisation): Recipient {
  const recipient = recipientOf(organisation);
  return { ...recipient, billingName: recipient.billingName || organisation.name };
}

const recipientOf = ({ billingName, billingAddress, taxNumber }: Recipient): Recipient => ({
  billingName,
  billingAddress,
  taxNumber,
});

export function represent(row: Invoice, lineCount: number): rest.Invoice {
  const due = roundToCents(row.totalNanoUsd);
  return {
    id: row.id,
    organisationId: row.organisationId,
    number: row.number,
    status: row.status,
    month: row.month.slice(0, 7),
    startsAt: row.startsAt.toISOString(),
    endsAt: row.endsAt.toISOString(),
    timeZone: row.timeZone,
    totalUsd: formatUsd(row.totalNanoUsd),
    roundingUsd: formatUsd(due - row.totalNanoUsd),
    dueUsd: formatUsd(due),
    lineCount,
    ...recipientOf(row),
    issuedAt: row.issuedAt?.toISOString() ?? null,
    voidedAt: row.voidedAt?.toISOString() ?? null,
    voidReason: row.voidReason,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

type ListQuery = Call<typeof rest.listInvoices>['query'];

export async function list(
  db: EntityManager,
  query: ListQuery,
  organisationId: string | undefined,
): Promise<rest.PageOf<rest.Invoice>> {
  const rows: SelectQueryBuilder<Invoice> = db.createQueryBuilder(Invoice, 'invoice');
  if (organisationId !== undefined) {
    rows.andWhere('invoice.organisationId = :organisationId', { organisationId });
  }
  if (query.status !== undefined) rows.andWhere('invoice.status = :status', query);
  if (query.month !== undefined) {
    rows.andWhere('invoice.month = :month', { month: `${query.month}-01` });
  }
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-month',
    id: idKey<Invoice>('invoice.id'),
    keys: {
      month: {
        column: 'invoice.startsAt',
        of: (row) => row.startsAt.toISOString(),
        holds: 'instant',
      },
    },
  });
  return {
    data: await withCounts(db, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

async function withCounts(db: EntityManager, rows: readonly Invoice[]): Promise<rest.Invoice[]> {
  const counts: { id: string; count: string }[] = await db.query(
    'SELECT invoice_id AS id, count(*) FROM invoice_line WHERE invoice_id = ANY($1::uuid[]) GROUP BY 1',
    [rows.map((row) => row.id)],
  );
  const byId = new Map(counts.map(({ id, count }) => [id, Number(count)]));
  return rows.map((row) => represent(row, byId.get(row.id) ?? 0));
}

interface Place {
  readonly organisationId: string;
  readonly invoiceId: string;
}

export async function find(db: EntityManager, params: Place, lock = false): Promise<Invoice> {
  const where = { id: params.invoiceId, organisationId: params.organisationId };
  const found = await db.findOne(
    Invoice,
    lock ? { where, lock: { mode: 'pessimistic_write' } } : { where },
  );
  if (found === null) throw restError('not_found');
  return found;
}

export async function get(db: EntityManager, params: Place): Promise<rest.Invoice> {
  const [found] = await withCounts(db, [await find(db, params)]);
  if (found === undefined) throw restError('not_found');
  return found;
}

export async function create(call: Call<typeof rest.createInvoice>): Promise<rest.Invoice> {
  const { db, body, nowMs } = call;
  const { organisationId } = call.params;
  const organisation = await db.findOneByOrFail(Organisation, { id: organisationId });
  const { startsAt, endsAt } = spanOfMonth(body.month, organisation.timeZone);
  if (startsAt.getTime() > nowMs) throw conflict('month', 'has not begun yet');
  const id = uuidv7();
  await db.insert(Invoice, {
    id,
    organisationId,
    month: `${body.month}-01`,
    timeZone: organisation.timeZone,
    startsAt,
    endsAt,
    totalNanoUsd: 0n,
    ...recipientNow(organisation),
  });
  const totalNanoUsd = await computeLines(db, await find(db, { organisationId, invoiceId: id }));
  await db.update(Invoice, { id }, { totalNanoUsd });
  return noted(call, 'create', id, undefined);
}

export async function recompute(call: Call<typeof rest.recomputeInvoice>): Promise<rest.Invoice> {
  const { db } = call;
  const { row, before } = await draftOf(call);
  const organisation = await db.findOneByOrFail(Organisation, { id: row.organisationId });
  const totalNanoUsd = await computeLines(db, row);
  await db.update(Invoice, { id: row.id }, { totalNanoUsd, ...recipientNow(organisation) });
  return noted(call, 'recompute', row.id, before);
}

/**
 * Recomputes before issuing. Refuses when the result differs from the draft that the caller saw, so
 * that nothing unseen is issued.
 */
export async function issue(call: Call<typeof rest.issueInvoice>): Promise<rest.Invoice> {
  const { db, nowMs } = call;
  const { row, before } = await draftOf(call);
  if (row.endsAt.getTime() > nowMs) throw conflict('month', 'is not over yet');
  const earlier = await db
    .createQueryBuilder(Invoice, 'invoice')
    .where('invoice.organisationId = :organisationId', row)
    .andWhere(`invoice.month < :month AND invoice.status = 'DRAFT'`, row)
    .getCount();
  if (earlier > 0) throw conflict('month', 'an earlier month is still a draft: issue it first');
  if ((await computeLines(db, row)) !== row.totalNanoUsd) {
    throw conflict('totalUsd', 'usage was booked since: recompute the draft and check it');
  }
  const number = await nextNumber(db, row.organisationId);
  await db.update(Invoice, { id: row.id }, { status: 'ISSUED', number, issuedAt: new Date(nowMs) });
  return noted(call, 'issue', row.id, before);
}

/** The row stays locked until commit, so a number is neither used twice nor skipped. */
async function nextNumber(db: EntityManager, organisationId: string): Promise<string> {
  const rows: { last_number: number }[] = await db.query(
    `INSERT INTO invoice_sequence (organisation_id, last_number) VALUES ($1, 1)
     ON CONFLICT (organisation_id) DO UPDATE SET last_number = invoice_sequence.last_number + 1
     RETURNING last_number`,
    [organisationId],
  );
  return String(rows[0]?.last_number).padStart(6, '0');
}

export async function makeVoid(call: Call<typeof rest.voidInvoice>): Promise<rest.Invoice> {
  const { db, body, nowMs } = call;
  const row = await find(db, call.params, true);
  const before = await get(db, call.params);
  call.expectMatch(before);
  if (row.status !== 'ISSUED') throw conflict('status', 'only an issued invoice can be voided');
  await db.update(
    Invoice,
    { id: row.id },
    { status: 'VOID', voidedAt: new Date(nowMs), voidReason: body.reason },
  );
  return noted(call, 'void', row.id, before);
}

export async function remove(call: Call<typeof rest.deleteInvoice>): Promise<void> {
  const { row, before } = await draftOf(call);
  await call.db.delete(Invoice, { id: row.id });
  const { organisationId } = call.params;
  const target = { type: 'invoice', id: row.id };
  call.changed({ action: 'invoice.delete', organisationId, target, before });
}

type Changing = Call<
  | typeof rest.createInvoice
  | typeof rest.recomputeInvoice
  | typeof rest.issueInvoice
  | typeof rest.voidInvoice
>;

async function draftOf(
  call: Pick<Call<typeof rest.deleteInvoice>, 'db' | 'params' | 'expectMatch'>,
): Promise<{ row: Invoice; before: rest.Invoice }> {
  const row = await find(call.db, call.params, true);
  const before = await get(call.db, call.params);
  call.expectMatch(before);
  if (row.status !== 'DRAFT') throw conflict('status', 'only a draft can be changed');
  return { row, before };
}

async function noted(
  call: Pick<Changing, 'db' | 'params' | 'changed'>,
  verb: string,
  id: string,
  before: rest.Invoice | undefined,
): Promise<rest.Invoice> {
  const { organisationId } = call.params;
  const after = await get(call.db, { organisationId, invoiceId: id });
  const target = { type: 'invoice', id };
  call.changed({ action: `invoice.${verb}`, organisationId, target, before, after });
  return after;
}

const MID_MONTH = '-15T12:00:00Z';

/** The start and end of a month in a zone. */
function spanOfMonth(month: string, timeZone: string): { startsAt: Date; endsAt: Date } {
  const inside = Date.parse(`${month}${MID_MONTH}`);
  if (localDate(inside, timeZone).slice(0, 7) !== month) throw new RangeError(`not ${month}`);
  const { startMs, endMs } = windowAt({ period: 'MONTHLY' }, inside, timeZone);
  return { startsAt: new Date(startMs), endsAt: new Date(endMs) };
}
