import type { Tx } from '../../db';
import { ZERO_AMOUNTS } from '../records/amounts';
import type { Dimensions } from '../records/entry';
import { groupBookings } from './booking-groups';
import { addToRollups } from './hourly-rollup';

const uuid = (digit: number): string => `00000000-0000-4000-8000-00000000000${String(digit)}`;

const dimensions = {
  organisationId: uuid(1),
  teamId: null,
  userId: uuid(2),
  apiKeyId: uuid(3),
  modelId: uuid(4),
  providerId: null,
  mcpServerId: null,
};

test('the row of an hour has the id that every release has given it', async () => {
  expect(await idsOf(dimensions)).toEqual(['{"21c7c7f1-e241-80c6-b210-9007d20b8b76"}']);
});

test('hours of two MCP servers are two rows', async () => {
  const served = { ...dimensions, modelId: null };
  const ids = await Promise.all(
    [null, uuid(5), uuid(6)].map((mcpServerId) => idsOf({ ...served, mcpServerId })),
  );
  expect(new Set(ids.flat()).size).toBe(3);
});

/** The ids of the rows that a request with these dimensions is added to. */
async function idsOf(of: Dimensions): Promise<unknown[]> {
  const ids: unknown[] = [];
  const tx = {
    query: async (statement: { values: unknown[] }) => {
      ids.push(statement.values[0]);
      return { rows: [] };
    },
  } as unknown as Tx;
  const booking = {
    dimensions: of,
    authorisedAtMs: Date.UTC(2026, 10, 18, 12, 30),
    timeZone: 'UTC',
    amounts: ZERO_AMOUNTS,
    ends: {},
    operation: 'chat',
    status: 'COMPLETED' as const,
  };
  await addToRollups(tx, groupBookings([booking]));
  return ids;
}
