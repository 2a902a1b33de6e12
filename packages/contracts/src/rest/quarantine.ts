import { z } from 'zod';

import { reason } from './adjustments';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page } from './fields';

/** Ledger entries that could not be booked, set aside so that later ones can be. */

export const QUARANTINE_STATUSES = ['OPEN', 'BOOKED', 'DISCARDED'] as const;

const fields = {
  id,
  shard: z.int(),
  epoch: z.int(),
  seq: z.int().meta({ description: "The entry's number in the shard's ledger." }),
  organisationId: id.nullable().meta({ description: 'Null: the entry cannot be read.' }),
  requestId: id.nullable(),
  reason: z.string().meta({ description: 'Why the entry could not be booked.' }),
  status: z.enum(QUARANTINE_STATUSES),
  resolution: z.string().nullable().meta({ description: 'Why it was dismissed.' }),
  resolvedAt: instant.nullable(),
  resolvedBy: id.nullable(),
  createdAt: instant,
};

export const quarantinedEntry = z.object(fields).meta({ id: 'QuarantinedEntry' });
export type QuarantinedEntry = z.output<typeof quarantinedEntry>;

export const quarantinedEntryDetail = z
  .object({
    ...fields,
    entry: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The entry; null: it could not be decoded.' }),
    raw: z
      .string()
      .nullable()
      .meta({ description: 'The bytes of an entry that could not be decoded, in base64.' }),
  })
  .meta({ id: 'QuarantinedEntryDetail' });
export type QuarantinedEntryDetail = z.output<typeof quarantinedEntryDetail>;

const tag = 'Ledger';
const root = '/api/admin/ledger/quarantine';
const one = '/api/admin/ledger/quarantine/:quarantineId';

export const listQuarantine = endpoint({
  id: 'listQuarantine',
  tag,
  summary: 'Quarantined ledger entries, newest first',
  method: 'GET',
  path: root,
  access: 'platform.ledger.read',
  query: listQuery(['createdAt'], {
    status: z.enum(QUARANTINE_STATUSES).optional(),
    shard: z.coerce.number().int().min(0).max(255).optional(),
  }),
  response: page(quarantinedEntry),
});

export const getQuarantined = endpoint({
  id: 'getQuarantined',
  tag,
  summary: 'One quarantined entry with its content',
  method: 'GET',
  path: one,
  access: 'platform.ledger.read',
  response: quarantinedEntryDetail,
});

export const retryQuarantined = endpoint({
  id: 'retryQuarantined',
  tag,
  summary: 'Book a quarantined entry; 422 says what is still wrong with it',
  method: 'POST',
  path: `${one}/retry`,
  access: 'platform.ledger.write',
  response: quarantinedEntry,
});

export const dismissQuarantined = endpoint({
  id: 'dismissQuarantined',
  tag,
  summary: 'Dismiss a quarantined entry; it is never booked',
  method: 'POST',
  path: `${one}/dismiss`,
  access: 'platform.ledger.write',
  body: z.strictObject({ reason }).meta({ id: 'QuarantineDismiss' }),
  response: quarantinedEntry,
});
