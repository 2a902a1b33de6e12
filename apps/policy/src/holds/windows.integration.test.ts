import { type AuthorizeReply__Output } from '@tollgate/contracts/node';
import { redisCommand } from '@tollgate/stack';

import { buildScripts } from '../store';
import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, FLOATS, startRig, type Rig } from '../test-support/rig';

// Windows change while policy runs, with test clocks for policy and Redis: exhausted a millisecond
// before the instant, and free at the instant.

const CLOCK = 'the-clock';
describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  let rig: Rig;
  beforeAll(async () => {
    const scripts = buildScripts(`return tonumber(redis.call('GET', '${CLOCK}') or '${nowMs}')`);
    rig = await startRig(floats, { clock: { now: () => nowMs }, scripts });
  });
  afterAll(async () => {
    await rig.stop();
  });

  async function setTime(ms: number): Promise<void> {
    await redisCommand(rig.redis.url, ['SET', CLOCK, String(ms)]);
    nowMs = ms;
  }

  type Row = Parameters<typeof limit>[0];
  type Case = [what: string, row: Row, timeZone: string, turnsAt: string, then: string];

  const daily: Row = { period: 'DAILY' };
  const weekly: Row = { period: 'WEEKLY' };
  const monthly: Row = { period: 'MONTHLY' };
  const quarterly: Row = { period: 'QUARTERLY' };
  const seconds = (windowSeconds: number): Row => ({
    kind: 'QUOTA',
    metric: 'COST',
    period: '',
    windowSeconds,
  });

  // In the order of their instants, because time only moves forward.
  const CASES: Case[] = [
    ['an hour', seconds(3_600), 'Asia/Kolkata', '2026-01-02T07:00:00Z', '2026-01-02T08:00:00Z'],
    ['seven seconds', seconds(7), 'UTC', '2026-01-02T07:00:01Z', '2026-01-02T07:00:08Z'],
    ['a day’s seconds', seconds(86_400), 'UTC', '2026-01-03T00:00:00Z', '2026-01-04T00:00:00Z'],
    [
      'the day before a missing midnight',
      daily,
      'Asia/Beirut',
      '2026-03-28T22:00:00Z',
      '2026-03-29T21:00:00Z',
    ],
    ['a day of 23 hours', daily, 'Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z'],
    [
      'a week of 167 hours',
      weekly,
      'Europe/Berlin',
      '2026-03-29T22:00:00Z',
      '2026-04-05T22:00:00Z',
    ],
    [
      'a month with a change',
      monthly,
      'America/New_York',
      '2026-04-01T04:00:00Z',
      '2026-05-01T04:00:00Z',
    ],
    [
      'a day of 24.5 hours',
      daily,
      'Australia/Lord_Howe',
      '2026-04-05T13:30:00Z',
      '2026-04-06T13:30:00Z',
    ],
    ['no midnight in Cairo', daily, 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
    [
      'no midnight in Santiago',
      daily,
      'America/Santiago',
      '2026-09-06T04:00:00Z',
      '2026-09-07T03:00:00Z',
    ],
    [
      'a day of 23.5 hours',
      daily,
      'Australia/Lord_Howe',
      '2026-10-04T13:00:00Z',
      '2026-10-05T13:00:00Z',
    ],
    ['a day of 25 hours', daily, 'Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z'],
    [
      'the year’s end, a day',
      daily,
      'Pacific/Auckland',
      '2026-12-31T11:00:00Z',
      '2027-01-01T11:00:00Z',
    ],
    [
      'the year’s end, a quarter with a change',
      quarterly,
      'America/New_York',
      '2027-01-01T05:00:00Z',
      '2027-04-01T04:00:00Z',
    ],
    ['a week over the year', weekly, 'UTC', '2027-01-04T00:00:00Z', '2027-01-11T00:00:00Z'],
    ['the leap day', daily, 'UTC', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['a leap February', monthly, 'Asia/Tokyo', '2028-02-29T15:00:00Z', '2028-03-31T15:00:00Z'],
  ];

  /** A key of its own organisation, whose only limit affords one request. */
  function key(name: string, row: Row, timeZone: string) {
    const subject = { ...SUBJECT, organisationId: `org ${name}`.replace(/\W+/g, '-') };
    const limitId = `limit-${subject.organisationId}`;
    const limits = [limit({ limit: '300000', ...row, limitId, scopeId: subject.organisationId })];
    const keySha256 = sha256(name);
    rig.catalog.putKey(keySha256, context({ subject, timeZone, models: [model()], limits }));
    return { keySha256, limitId };
  }

  const resets = ({ allow, denial }: AuthorizeReply__Output) =>
    (allow ?? denial)?.limits.map(({ resetsAtMs }) => new Date(resetsAtMs).toISOString());
  const instant = (text: string): string => new Date(text).toISOString();

  describe.each(CASES)('%s', (what, row, timeZone, turnsAt, then) => {
    const atMs = Date.parse(turnsAt);

    test('is spent until its last millisecond, and whole again with the next', async () => {
      const { keySha256 } = key(`spent ${what}`, row, timeZone);
      await setTime(atMs - 1);
      const request = ask({ keySha256 });
      const first = await rig.authorize(request);
      expect(resets(first)).toEqual([instant(turnsAt)]);
      const holdToken = first.allow?.holdToken ?? Buffer.alloc(0);
      const spent = { costNanoUsd: '200000' };
      const reply = await rig.settle(settled(request.requestId, holdToken, spent));
      const stands = { settled: '200000', held: '0', resetsAtMs: atMs };
      // The answer over a session has none.
      expect(reply.limits).toMatchObject(floats.FLOATS === 'on' ? [] : [stands]);
      const refused = await rig.authorize(ask({ keySha256 }));
      expect(refused.denial).toMatchObject({ retryAfterMs: 1 });
      expect(resets(refused)).toEqual([instant(turnsAt)]);
      const { limit: told } = JSON.parse(refused.denial?.detailsJson ?? '{}') as {
        limit: { resetsAt: string };
      };
      expect(told.resetsAt).toBe(instant(turnsAt));

      await setTime(atMs);
      const admitted = await rig.authorize(ask({ keySha256 }));
      expect(admitted.allow?.limits).toMatchObject([{ settled: '0', held: '200000' }]);
      expect(resets(admitted)).toEqual([instant(then)]);
    });
  });

  test.each<[string, Row, string, string]>([
    ['a day', daily, 'America/Santiago', '2028-09-03T04:00:00Z'],
    ['a minute', seconds(60), 'UTC', '2028-09-03T04:01:00Z'],
  ])(
    'a hold that spans the end of %s counts in the window it was taken in',
    async (what, row, timeZone, turnsAt) => {
      const atMs = Date.parse(turnsAt);
      const { keySha256, limitId } = key(`spans ${what}`, row, timeZone);
      await setTime(atMs - 1);
      const before = ask({ keySha256 });
      const first = await rig.authorize(before);
      await setTime(atMs);
      const after = ask({ keySha256 });
      const second = await rig.authorize(after);
      expect(second.allow?.limits).toMatchObject([{ settled: '0', held: '200000' }]);
      await rig.settle(settled(before.requestId, first.allow?.holdToken ?? Buffer.alloc(0)));
      await eventually('the first is booked', () =>
        expect(rig.catalog.books.total(limitId, atMs - 1, timeZone)).toBe(140_000n),
      );
      expect(rig.catalog.books.total(limitId, atMs, timeZone)).toBe(0n);
      const more = await rig.authorize(ask({ keySha256 }));
      expect(more.denial?.limits).toMatchObject([{ settled: '0', held: '200000' }]);
      await rig.settle(settled(after.requestId, second.allow?.holdToken ?? Buffer.alloc(0)));
      await eventually('the second is booked', () =>
        expect(rig.catalog.books.total(limitId, atMs, timeZone)).toBe(140_000n),
      );
      expect(rig.catalog.books.total(limitId, atMs - 1, timeZone)).toBe(140_000n);
    },
  );
});
