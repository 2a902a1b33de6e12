import type { rest } from '@tollgate/contracts';

import { createRestClient } from '../../api/rest-client';
import { asShown } from './as-shown';

const invoice: rest.Invoice = {
  id: '01a20000-0000-7000-8000-000000000001',
  organisationId: '01a20000-0000-7000-8000-000000000002',
  number: null,
  status: 'DRAFT',
  month: '2026-10',
  startsAt: '2026-10-01T00:00:00.000Z',
  endsAt: '2026-11-01T00:00:00.000Z',
  timeZone: 'UTC',
  totalUsd: '1.00',
  roundingUsd: '0.00',
  dueUsd: '1.00',
  lineCount: 1,
  billingName: 'Acme GmbH',
  billingAddress: '',
  taxNumber: '',
  issuedAt: null,
  voidedAt: null,
  voidReason: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
};

const clientOf = (now: rest.Invoice) =>
  createRestClient(async () => ({
    status: 200,
    data: now,
    header: (name) => (name === 'etag' ? '"7"' : undefined),
  }));

test('an invoice that is still what was looked at is changed by its ETag', async () => {
  expect(await asShown(clientOf(invoice), invoice)).toEqual({ ifMatch: '"7"' });
});

test.each([
  ['computed anew', { updatedAt: '2026-11-02T00:00:00.000Z' }],
  ['issued', { status: 'ISSUED' as const }],
])('one that was %s meanwhile is not changed unseen', async (_, change) => {
  const client = clientOf({ ...invoice, ...change });
  await expect(asShown(client, invoice)).rejects.toMatchObject({ status: 412 });
});
