import type { Tx } from '../../db';
import { ZERO_AMOUNTS } from '../records/amounts';
import { groupBookings } from './booking-groups';
import { addToRollups } from './hourly-rollup';

const uuid = (digit: number): string => `00000000-0000-4000-8000-00000000000${String(digit)}`;

test('the row of an hour has the id that every release has given it', async () => {
  const ids: unknown[] = [];
  const tx = {
    query: async (statement: { values: unknown[] }) => {
      ids.push(statement.values[0]);
      return { rows: [] };
    },
  } as unknown as Tx;
  const dimensions = {
    organisationId: uuid(1),
    teamId: null,
    userId: uuid(2),
    apiKeyId: uuid(3),
    modelId: uuid(4),
    providerId: null,
  };
  const booking = {
    dimensions,
    authorisedAtMs: Date.UTC(2026, 10, 18, 12, 30),
    timeZone: 'UTC',
    amounts: ZERO_AMOUNTS,
    ends: {},
    operation: 'chat',
    status: 'COMPLETED' as const,
  };
  await addToRollups(tx, groupBookings([booking]));
  expect(ids).toEqual(['{"21c7c7f1-e241-80c6-b210-9007d20b8b76"}']);
});
