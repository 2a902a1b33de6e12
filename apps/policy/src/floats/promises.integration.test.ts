import { createFloats, FLOAT_PARAMETERS } from '.';
import { installed, onOneBackend, required, type Bench } from '../store/test-support/backends';
import { budget, LEASE_MS, NOW, WINDOW } from '../store/test-support/requests';
import { cost, LIMIT, openRig, warmRig } from './test-support/rig';
import { floatsWithout } from './test-support/without-guard';

// Every guard of deciding from memory: what it prevents happens without it.

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `r${String(i)}`);
const STEP = { requestId: 'r1', leaseMs: LEASE_MS, step: 1, ticketText: 'step 1' };

(installed || required ? describe : describe.skip)('deciding from memory', () => {
  onOneBackend((bench: () => Bench) => {
    const PROMISES: {
      guard: string;
      promise: string;
      shows: (create: typeof createFloats) => Promise<unknown>;
      kept: unknown;
      broken: unknown;
    }[] = [
      {
        guard: 'resent',
        promise: 'what another session was asked for is decided by Redis',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          return rig.ask('r1', cost(), true)?.kind;
        },
        kept: undefined,
        broken: 'ALLOW',
      },
      {
        guard: 'members',
        promise: 'nothing is decided from memory beside a policy that does not know floats',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.reach.allKnow = false;
          const began = rig.decided(['r1'], cost());
          await rig.pass(20);
          rig.reach.allKnow = true;
          await rig.warmUp(cost());
          return [began, rig.decided(['r2'], cost())];
        },
        kept: [0, 1],
        broken: [1, 1],
      },
      {
        guard: 'older member',
        promise: 'what runs is an ordinary hold once such a policy is known',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.decided(['r1'], cost());
          await rig.pass(20);
          rig.reach.allKnow = false;
          await rig.pass(20);
          const { floats, s } = rig;
          return { ...floats.figures(), isBusy: floats.busy, held: await s.held() };
        },
        kept: { holds: 0, counters: 0, isBusy: false, held: 10n },
        broken: { holds: 1, counters: 1, isBusy: true, held: 80n },
      },
      {
        guard: 'own float',
        promise: 'a step of a hold that Redis has is added to it',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          // The process was frozen: another one has been asked, and has allowed the request.
          await rig.s.authorize('r1', cost());
          rig.decided(['r1'], cost());
          const counters = [{ ...budget(LIMIT, 0n), base: 10n, total: 25n }];
          const inMemory = rig.floats.extend(rig.s.shard, {
            ...STEP,
            counters,
            session: 's1',
            floatId: '',
          });
          if (inMemory === undefined) await rig.s.extend('r1', { counters, step: 1 });
          await rig.pass(1_200);
          return rig.s.held();
        },
        kept: 25n,
        broken: 10n,
      },
      {
        guard: 'own session',
        promise: 'a step over another session is added to what another policy has adopted',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.decided(['r1'], cost());
          // The answer to this was lost.
          const adopted = [{ ...budget(LIMIT, 0n), base: 10n, total: 10n }];
          await rig.s.extend('r1', { counters: adopted, step: 0, floatId: 'p1.1' });
          const counters = [{ ...budget(LIMIT, 0n), base: 10n, total: 25n }];
          const about = { ...STEP, counters, floatId: 'p1.1' };
          const inMemory = rig.floats.extend(rig.s.shard, { ...about, session: 's2' });
          await rig.pass(20);
          if (inMemory instanceof Promise) await rig.s.extend('r1', { counters, step: 1 });
          await rig.pass(1_200);
          return rig.s.held();
        },
        kept: 25n,
        broken: 10n,
      },
      {
        guard: 'margin',
        promise: 'what is decided last is adopted before its float can be reclaimed',
        async shows(create) {
          const rig = await warmRig(bench(), create, 800n);
          // The process was frozen, decides, and is frozen again for good.
          await rig.pass(4_000, 'frozen');
          const began = rig.decided(ids(6), cost());
          await rig.pass(1_100, 'frozen');
          const { shard } = rig.s;
          await rig.s.store.reclaim({ shard, epoch: 1, floatId: 'p1.1', leaseMs: LEASE_MS });
          const other = await rig.s.authorize('other', [budget(LIMIT, 200n)]);
          // Its edge notices a second after the answer.
          return BigInt(began * 10) + (other.kind === 'ALLOW' ? 200n : 0n) + 800n <= LIMIT;
        },
        kept: true,
        broken: false,
      },
      {
        guard: 'unposted',
        promise: 'no more is decided while the oldest decision is not posted',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.decided(['r1'], cost());
          // Nothing is posted: its timers stand still.
          await rig.pass(100, 'frozen');
          return rig.decided(['r2'], cost());
        },
        kept: 0,
        broken: 1,
      },
      {
        guard: 'unanswered',
        promise: 'no more is decided while the oldest post is unanswered',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.reach.redis = false;
          rig.decided(['r1'], cost());
          await rig.pass(10);
          await rig.pass(100);
          return rig.decided(['r2'], cost());
        },
        kept: 0,
        broken: 1,
      },
      {
        guard: 'half full',
        promise: 'nothing is decided from memory while half of the ledger waits',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          const { s } = rig;
          await Promise.all(ids(50).map((id) => s.close(`x${id}`, 'SETTLED', [budget(LIMIT, 0n)])));
          await rig.pass(300);
          rig.decided(ids(1), cost());
          await rig.warmUp(cost());
          return rig.decided(['after'], cost());
        },
        kept: 0,
        broken: 1,
      },
      {
        guard: 'window end',
        promise: 'a window is not used to its last instant',
        async shows(create) {
          const rig = await openRig(bench(), create);
          const window = { windowStartMs: NOW, windowEndMs: NOW + 270 };
          await rig.s.seed([window]);
          const uses = [budget(LIMIT, 10n, window)];
          await rig.warmUp(uses);
          return rig.decided(['r1'], uses);
        },
        kept: 0,
        broken: 1,
      },
      {
        guard: 'outdated',
        promise: 'what was lent under another limit is not used',
        async shows(create) {
          const rig = await warmRig(bench(), create, 700n);
          return rig.decided(['r1'], [budget(700n, 10n)]);
        },
        kept: 0,
        broken: 1,
      },
      {
        guard: 'post-paid age',
        promise: 'an old answer about a post-paid quota decides nothing',
        async shows(create) {
          const rig = await openRig(bench(), create);
          await rig.s.seed([{}, { limitId: 'errors' }]);
          const uses = [
            budget(LIMIT, 10n),
            budget(LIMIT, 0n, { limitId: 'errors', kind: 'POST_PAID' }),
          ];
          await rig.warmUp(uses);
          const before = rig.decided(['r1'], uses);
          await rig.pass(10);
          await rig.pass(1_000, 'frozen');
          return [before, rig.decided(['r2'], uses)];
        },
        kept: [1, 0],
        broken: [1, 1],
      },
      {
        guard: 'post-paid close',
        promise: 'a post-paid quota that an exact end has just used up decides nothing',
        async shows(create) {
          const rig = await openRig(bench(), create);
          await rig.s.seed([{}, { limitId: 'errors' }]);
          const uses = [
            budget(LIMIT, 10n),
            budget(LIMIT, 0n, { limitId: 'errors', kind: 'POST_PAID' }),
          ];
          await rig.s.authorize('exact', uses);
          await rig.warmUp(uses);
          const before = rig.decided(['r1'], uses);
          await rig.pass(10);
          const spent = uses.map((c) => ({ ...c, spent: c.kind === 'POST_PAID' ? LIMIT : 10n }));
          await rig.s.close('exact', 'SETTLED', spent);
          rig.floats.closed(rig.s.shard, uses);
          const at = rig.decided(['r2'], uses);
          await rig.pass(600);
          return [before, at, rig.decided(['r3'], uses)];
        },
        kept: [1, 0, 0],
        broken: [1, 1, 0],
      },
      {
        guard: 'void',
        promise: 'nothing is decided from a float of another window',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          const { s } = rig;
          const forget = { epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] };
          await s.store.book({ shard: s.shard, ...forget });
          await s.seed([{ windowEndMs: WINDOW.windowEndMs + 3_600_000 }]);
          rig.ask('asked', cost());
          await rig.pass(10);
          return rig.decided(ids(20), cost()) > 0;
        },
        kept: false,
        broken: true,
      },
      {
        guard: 'void keeps',
        promise: 'another window is lent once the requests of the first are ordinary holds',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          const { s } = rig;
          rig.decided(['r1'], cost());
          const forget = { epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] };
          await s.store.book({ shard: s.shard, ...forget });
          const other = { windowEndMs: WINDOW.windowEndMs + 3_600_000 };
          await s.seed([other]);
          await rig.pass(20);
          const uses = [budget(LIMIT, 10n, other)];
          await rig.warmUp(uses);
          await rig.pass(20);
          const decided = rig.decided(['r2'], uses);
          // The window is changed back.
          await s.store.book({ shard: s.shard, ...forget });
          await s.seed([{}]);
          return [decided, await s.held()];
        },
        kept: [1, 10n],
        broken: [0, 10n],
      },
      {
        guard: 'wanted ahead',
        promise: 'what others were refused is given back',
        async shows(create) {
          const rig = await warmRig(bench(), create, 830n);
          const { s } = rig;
          expect(await s.held()).toBe(60n);
          const refused = await s.authorize('other', [budget(LIMIT, 150n)]);
          rig.ask('asked', cost());
          await rig.pass(30);
          const again = await s.authorize('other', [budget(LIMIT, 150n)]);
          return [refused.kind, again.kind];
        },
        kept: ['DENY', 'ALLOW'],
        broken: ['DENY', 'DENY'],
      },
      {
        guard: 'cold ahead',
        promise: 'what was lent of a counter that was forgotten goes back',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          const { s } = rig;
          const forget = { epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] };
          await s.store.book({ shard: s.shard, ...forget });
          rig.decided(['r1'], cost());
          await rig.pass(30);
          return rig.decided(ids(20), cost());
        },
        kept: 1,
        broken: 6,
      },
      {
        guard: 'overfull',
        promise: 'what was lent goes back when others have spent more than the limit',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          const { s } = rig;
          // A provider counted beyond the estimate.
          await s.close('other', 'SETTLED', [{ ...budget(LIMIT, 0n), spent: LIMIT }]);
          rig.decided(['r1'], cost());
          await rig.pass(30);
          return rig.decided(['r2', 'r3'], cost());
        },
        kept: 0,
        broken: 2,
      },
      {
        guard: 'adopt notice',
        promise: 'edges are told to adopt when Redis does not answer',
        async shows(create) {
          const rig = await warmRig(bench(), create);
          rig.decided(['r1'], cost());
          rig.reach.redis = false;
          await rig.pass(FLOAT_PARAMETERS.troubleMs + 20);
          return rig.adopted;
        },
        kept: ['p1.1'],
        broken: [],
      },
    ];

    describe.each(PROMISES)('$promise', ({ guard, shows, kept, broken }) => {
      test('is kept', async () => {
        expect(await shows(createFloats)).toEqual(kept);
      });
      test(`is broken without the guard "${guard}"`, async () => {
        expect(await shows(floatsWithout(guard))).toEqual(broken);
      });
    });
  });
});
