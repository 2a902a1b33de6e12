import { emptyUsage } from '@tollgate/contracts';
import type { Attempt__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { planOf } from '../directory';
import { StoreUnavailableError, type Issuer, type StoredOutput } from '../store';
import { ask, context, settled } from '../test-support/contexts';
import { createIssuers } from './issuers';
import type { Ticket } from './ticket';

const plan = planOf(context());
const owner = { type: 'USER', id: plan.subject.userId };
const issuer: Issuer = {
  providerId: 'p',
  connectionVersion: 1,
  modelId: 'm',
  readTokens: 0,
  owner,
};

function bench(answers: (Issuer | null)[], outputs: (StoredOutput | null)[] = []) {
  const clock = { nowMs: 1_000 };
  const waits: number[] = [];
  const lines: string[] = [];
  const kept: string[] = [];
  const readTokens: number[] = [];
  const grown: unknown[] = [];
  const issuers = createIssuers({
    store: {
      recallIssuer: () => Promise.resolve(answers.shift() ?? null),
      recallItems: () => Promise.resolve(outputs),
      rememberIssuer: ({ responseId }, { issuer }) => {
        if (responseId === 'full') return Promise.reject(new StoreUnavailableError('OOM'));
        kept.push(responseId);
        readTokens.push(issuer.readTokens);
        return Promise.resolve();
      },
      growIssuer: ({ responseId }, growth) => {
        grown.push([responseId, growth]);
        return Promise.resolve(responseId !== 'unknown');
      },
      forgetIssuer: ({ responseId }) => {
        kept.splice(kept.indexOf(responseId), 1);
        return Promise.resolve();
      },
    },
    clock: { now: () => clock.nowMs },
    wait: (ms) => {
      waits.push(ms);
      clock.nowMs += ms;
      return Promise.resolve();
    },
    log: createLogger({ service: 'test', level: 'warn', write: (line) => lines.push(line) }),
  });
  return { issuers, waits, lines, kept, grown, readTokens };
}

test('a response whose settle is a moment behind its answer is looked for again', async () => {
  const { issuers, waits } = bench([null, issuer]);
  expect(await issuers.find(plan, 'resp_1', { deadlineAtMs: 2_000, renew: false })).toEqual(issuer);
  expect(waits).toEqual([30]);
});

test('an unknown one is given up after three looks, or when time is short', async () => {
  const patient = bench([]);
  expect(
    await patient.issuers.find(plan, 'resp_1', { deadlineAtMs: 2_000, renew: false }),
  ).toBeUndefined();
  expect(patient.waits).toEqual([30, 90]);
  const hurried = bench([]);
  expect(
    await hurried.issuers.find(plan, 'resp_1', { deadlineAtMs: 1_020, renew: false }),
  ).toBeUndefined();
  expect(hurried.waits).toEqual([]);
});

test('a store that cannot keep a response does not hinder its settle', async () => {
  const { issuers, lines, kept } = bench([]);
  const candidate = { modelId: 'model-1', providerId: 'p', connectionVersion: 1 };
  const ticket = {
    shard: 1,
    subject: plan.subject,
    operation: 'responses',
    candidates: [candidate],
  } as unknown as Ticket;
  const settle = (responseId: string) => settled('r', Buffer.alloc(0), { responseId });
  await issuers.settled(ticket, settle('full'));
  expect(lines.join()).toContain('cannot be continued');
  await issuers.settled(ticket, settle('resp_1'));
  await issuers.settled(ticket, settle(''));
  expect(kept).toEqual(['resp_1']);
});

test('a follow-up reads what its provider counted, or at least what was continued, sent and written', async () => {
  const { issuers, readTokens } = bench([]);
  const candidates = [{ modelId: 'model-1', providerId: 'p', connectionVersion: 1 }];
  const ticket = { shard: 1, subject: plan.subject, operation: 'responses', candidates };
  const usage = (input: number, output: number) => ({ ...emptyUsage(), input, output });
  const turn = { responseId: 'resp_1', addedTokens: 30, readTokens: 5_000 };
  for (const changes of [
    { usage: usage(4_000, 20) },
    { usage: usage(5_010, 20), usageQuality: 'ESTIMATED' },
    { usage: null, usageQuality: 'UNKNOWN' },
  ]) {
    const settle = settled('r', Buffer.alloc(0), { ...turn, ...changes });
    await issuers.settled(ticket as unknown as Ticket, settle);
  }
  expect(readTokens).toEqual([4_020, 5_050, 5_030]);
});

describe('what a request adds to its conversation is counted before it is sent', () => {
  const ticket = {
    shard: 1,
    subject: plan.subject,
    operation: 'responses',
    candidates: [],
  } as unknown as Ticket;
  const turn = { conversationId: 'conv_1', addedTokens: 30, assumedTokens: 30, readTokens: 90 };
  const end = (changes: object) => settled('r', Buffer.alloc(0), { ...turn, ...changes });

  test.each([
    ['a turn', { conversationId: 'conv_1', addedTokens: 30 }, 30],
    ['added items', { storedId: 'conv_1', addedTokens: 30 }, 30],
    ['nothing', { conversationId: 'conv_1' }, 0],
    ['a request of no conversation', { addedTokens: 30 }, 0],
    ['an unknown conversation', { conversationId: 'unknown', addedTokens: 30 }, 0],
  ])('%s', async (_, asked, counted) => {
    const { issuers, grown } = bench([]);
    expect(await issuers.begun(plan, ask(asked))).toBe(counted);
    expect(grown.slice(0, counted)).toEqual(
      counted > 0 ? [['conv_1', { addedTokens: 30, totalTokens: 0 }]] : [],
    );
  });

  test.each([
    ['estimated', { usageQuality: 'ESTIMATED' }, { addedTokens: 20, totalTokens: 120 }],
    ['counted', {}, { addedTokens: 0, totalTokens: 120 }],
    ['cancelled', { cancelled: true }, { addedTokens: -30, totalTokens: 0 }],
    ['refused', { attempts: [{ httpStatus: 400 }] }, { addedTokens: -30, totalTokens: 0 }],
  ])('and not again at its end: %s', async (_, changes, growth) => {
    const { issuers, grown } = bench([]);
    await issuers.settled(ticket, end(changes));
    // Taken back only by the settle that closes the hold.
    expect(grown).toEqual(growth.addedTokens < 0 ? [] : [['conv_1', growth]]);
    await issuers.takenBack(ticket, end(changes));
    expect(grown).toEqual([['conv_1', growth]]);
  });
});

test('a turn grows its conversation by its own input and output, and says what there is', async () => {
  const { issuers, grown } = bench([]);
  const ticket = { shard: 1, subject: plan.subject, operation: 'responses', candidates: [] };
  const turn = { conversationId: 'conv_1', addedTokens: 30, readTokens: 90 };
  const guess = { ...turn, usageQuality: 'ESTIMATED' };
  await issuers.settled(ticket as unknown as Ticket, settled('r', Buffer.alloc(0), guess));
  const cancelled = { ...turn, cancelled: true };
  await issuers.settled(ticket as unknown as Ticket, settled('r', Buffer.alloc(0), cancelled));
  expect(grown).toEqual([['conv_1', { addedTokens: 50, totalTokens: 120 }]]);
});

test('a turn that its provider has counted corrects what was assumed to be read', async () => {
  const { issuers, grown } = bench([]);
  const ticket = { shard: 1, subject: plan.subject, operation: 'responses', candidates: [] };
  for (const readTokens of [90, 150]) {
    const turn = { conversationId: 'conv_1', addedTokens: 30, readTokens };
    await issuers.settled(ticket as unknown as Ticket, settled('r', Buffer.alloc(0), turn));
  }
  expect(grown).toEqual([
    ['conv_1', { addedTokens: 30, totalTokens: 120 }],
    ['conv_1', { addedTokens: -30, totalTokens: 120 }],
  ]);
});

test('a turn that the provider refused adds nothing, one that may have reached it does', async () => {
  const { issuers, grown } = bench([]);
  const ticket = { shard: 1, subject: plan.subject, operation: 'responses', candidates: [] };
  const failed = (...statuses: number[]) => {
    const attempts = statuses.map((httpStatus) => ({ httpStatus }) as Attempt__Output);
    const unknown = { usage: null, usageQuality: 'UNKNOWN', attempts };
    const turn = { conversationId: 'conv_1', addedTokens: 30, ...unknown };
    return issuers.settled(ticket as unknown as Ticket, settled('r', Buffer.alloc(0), turn));
  };
  await failed(400);
  await failed(429, 429);
  expect(grown).toEqual([]);
  await failed(400, 500);
  expect(grown).toEqual([['conv_1', { addedTokens: 30, totalTokens: 0 }]]);
});

describe('items that the input names', () => {
  const options = { deadlineAtMs: 2_000 };
  const foreign = { ...issuer, owner: { type: 'USER', id: 'user-2' } };
  const own = { issuer, outputTokens: 30 };
  const theirs = { issuer: foreign, outputTokens: 5 };
  const other = { issuer: { ...issuer, providerId: 'p2' }, outputTokens: 4 };
  const find = (outputs: (StoredOutput | null)[], itemIds: string[], replayedItemIds: string[]) => {
    const { issuers, waits } = bench([], outputs);
    const found = issuers.findItems(plan, { itemIds, replayedItemIds }, options);
    return found.then((items) => ({ items, waits }));
  };

  test('are read as often as their responses, whatever is replayed beside them', async () => {
    const { items } = await find([own, own, other, own, null], ['a', 'b', 'c'], ['d', 'e']);
    expect(items).toEqual({
      issuers: [own.issuer, other.issuer],
      readTokens: 34,
      refused: undefined,
    });
  });

  test.each([
    ['unknown', [own, null], ['a', 'b'], [], 'b'],
    ['another’s', [own, theirs], ['a', 'b'], [], 'b'],
    ['another’s and replayed', [own, null, theirs], ['a'], ['b', 'c'], 'c'],
  ])('are refused where one is %s, after the same wait', async (_, outputs, ids, replayed, id) => {
    const { items, waits } = await find(outputs, ids, replayed);
    expect(items.refused).toBe(id);
    expect(waits).toEqual([30, 90]);
  });
});

test('another’s is looked for as long as one that nobody made', async () => {
  const another = { ...issuer, owner: { type: 'USER', id: 'user-2' } };
  const { issuers, waits } = bench([another, another, another]);
  expect(await issuers.find(plan, 'resp_1', { deadlineAtMs: 2_000, renew: false })).toBeUndefined();
  expect(waits).toEqual([30, 90]);
});

test.each([
  ['TEAM', 'TEAM', 'team-1', true],
  ['TEAM', 'TEAM', 'team-2', false],
  ['TEAM', 'USER', 'user-1', false],
  ['USER', 'USER', 'user-1', true],
  ['USER', 'USER', 'user-2', false],
  ['USER', 'TEAM', 'team-1', false],
  ['USER', 'ORGANISATION', 'org-1', false],
  ['ORGANISATION', 'ORGANISATION', 'org-1', true],
  ['ORGANISATION', 'TEAM', 'team-2', true],
  // Stored by a release without owners.
  ['ORGANISATION', undefined, '', true],
  ['TEAM', undefined, '', false],
  ['USER', undefined, '', false],
])('a key of type %s and what belongs to %s %s: %s', async (apiKeyType, type, id, may) => {
  const { providerId, connectionVersion, modelId } = issuer;
  const kept = { providerId, connectionVersion, modelId, owner: type && { type, id } };
  const { issuers } = bench([kept as Issuer]);
  const own = { ...plan, subject: { ...plan.subject, apiKeyType } };
  const found = await issuers.find(own, 'resp_1', { deadlineAtMs: 0, renew: false });
  expect(found !== undefined).toBe(may);
});
