import fc from 'fast-check';

import { planOf } from '../directory';
import type { BreakerFigures, Store } from '../store';
import { onOneBackend, type Bench } from '../store/test-support/backends';
import { NOW } from '../store/test-support/requests';
import { ask } from '../test-support/contexts';
import { createChoose } from './choose';
import { candidateModel, routedContext } from './test-support/policies';
import { createTurns } from './turns';

// Whatever happens to upstreams, the best healthy candidate is tried first, and only one request
// probes an unhealthy one. A second model of the breaker, written here, says what healthy means.

const FIGURES: BreakerFigures = {
  windowMs: 4_000,
  leastFailures: 2,
  failurePercent: 50,
  openMs: 1_000,
  forgetMs: 3_000,
  cooldownMaxMs: 10_000,
};
const PROBE_MS = 500;
const CANDIDATES = 3;
const PRIORITIES = [2, 3, 1];
const IN_ORDER = ['m2', 'm0', 'm1'];

type Step =
  | { kind: 'wait'; ms: number }
  | { kind: 'attempt'; place: number; verdict: 'SUCCESS' | 'FAILURE' | 'NEITHER'; waitMs: number }
  | { kind: 'ask' };

class Upstream {
  openUntilMs: number | undefined;
  probeUntilMs = 0;
  restsUntilMs = 0;
  ended: { bucket: number; failed: boolean }[] = [];

  at(nowMs: number): 'healthy' | 'resting' | 'open' | 'due' | 'probing' {
    if (this.openUntilMs !== undefined && nowMs >= this.openUntilMs + FIGURES.forgetMs)
      this.close();
    if (this.restsUntilMs > nowMs) return 'resting';
    if (this.openUntilMs === undefined) return 'healthy';
    if (nowMs < this.openUntilMs) return 'open';
    return this.probeUntilMs > nowMs ? 'probing' : 'due';
  }

  attempt(nowMs: number, verdict: string, waitMs: number, probe: boolean): void {
    this.at(nowMs);
    if (waitMs > 0) {
      const until = nowMs + Math.min(waitMs, FIGURES.cooldownMaxMs);
      this.restsUntilMs = Math.max(this.restsUntilMs, until);
    }
    const bucket = Math.floor(nowMs / (FIGURES.windowMs / 2));
    if (verdict !== 'NEITHER') this.ended.push({ bucket, failed: verdict === 'FAILURE' });
    if (this.openUntilMs !== undefined) {
      if (!probe) return;
      this.probeUntilMs = 0;
      if (verdict === 'SUCCESS') this.close();
      if (verdict === 'FAILURE') this.openUntilMs = nowMs + FIGURES.openMs;
      return;
    }
    const recent = this.ended.filter((one) => one.bucket >= bucket - 1);
    const failures = recent.filter((one) => one.failed).length;
    const many = failures >= FIGURES.leastFailures;
    if (verdict === 'FAILURE' && many && failures * 100 >= FIGURES.failurePercent * recent.length) {
      this.openUntilMs = nowMs + FIGURES.openMs;
    }
  }

  private close(): void {
    this.openUntilMs = undefined;
    this.probeUntilMs = 0;
    this.ended = [];
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.nat(1_500) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('attempt'),
      place: fc.nat(CANDIDATES - 1),
      verdict: fc.constantFrom('SUCCESS', 'FAILURE', 'FAILURE', 'NEITHER'),
      waitMs: fc.constantFrom(0, 0, 0, 0, 700),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'ask' }) },
) as fc.Arbitrary<Step>;

onOneBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  test('priority never passes over a better candidate that is healthy', async () => {
    const models = Array.from({ length: CANDIDATES }, (_, place) => candidateModel(place));
    const candidates = PRIORITIES.map((priority, place) => ({
      modelId: `m${String(place)}`,
      priority,
      weight: 1,
      timeouts: null,
    }));
    let asked = 0;

    const run = async (steps: readonly Step[]): Promise<void> => {
      const shard = bench().freshShard();
      await bench().empty(shard);
      const plan = {
        ...planOf(routedContext(models, { strategy: 'priority', candidates })),
        shard,
      };
      const { routing } = plan;
      if (routing === undefined) throw new Error('no policy');
      const upstreams = models.map(() => new Upstream());
      let nowMs = NOW;
      let probing: string | undefined;
      const clock = { now: () => nowMs };
      const choose = createChoose({
        turns: createTurns({ store, clock }),
        giveBacks: { give: () => {} },
        figures: FIGURES,
        probeMs: PROBE_MS,
        movedMs: 60_000,
        onLeftOut: () => {},
        onRouted: () => {},
        onProbe: () => {},
      });
      const firsts = async (): Promise<{ tried: string[]; probed: string | undefined }> => {
        const request = ask({ model: routing.name });
        const chosen = await choose(routing, {
          request,
          nowMs,
          plan,
          model: undefined,
          price: undefined,
          priceOf: (model) => model.prices[0],
        });
        if ('refusal' in chosen) return { tried: [], probed: undefined };
        const { candidates: all, probe } = chosen.choice;
        return { tried: all.map(({ model }) => model.modelId), probed: probe?.modelId };
      };

      await bench().setTime(shard, nowMs);
      for (const one of steps) {
        if (one.kind === 'wait') {
          nowMs += one.ms;
          await bench().setTime(shard, nowMs);
        } else if (one.kind === 'attempt') {
          const modelId = `m${String(one.place)}`;
          const probe = probing === modelId;
          if (probe) probing = undefined;
          const { verdict, waitMs } = one;
          upstreams[one.place]?.attempt(nowMs, verdict, waitMs, probe);
          const of = { shard, providerId: `p${String(one.place)}`, modelId, figures: FIGURES };
          const what = {
            verdict,
            waitMs,
            probe,
            stream: false,
            counted: false,
            latencyUs: undefined,
          };
          await store.attempted({ ...of, ...what });
        } else {
          asked += 1;
          const states = new Map(upstreams.map((u, place) => [`m${String(place)}`, u.at(nowMs)]));
          const healthy = IN_ORDER.filter((id) => states.get(id) === 'healthy');
          const [best] = healthy;
          const better = best === undefined ? IN_ORDER : IN_ORDER.slice(0, IN_ORDER.indexOf(best));
          const due = better.find((id) => states.get(id) === 'due');
          const { tried, probed } = await firsts();
          expect(probed).toBe(due);
          expect(tried).toEqual(due === undefined ? healthy : [due, ...healthy]);
          if (due === undefined) continue;
          probing = due;
          const place = Number(due.slice(1));
          const upstream = upstreams[place];
          if (upstream) upstream.probeUntilMs = nowMs + PROBE_MS;
        }
      }
    };

    const steps = fc.array(step, { minLength: 10, maxLength: 40 });
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 60 });
    expect(asked).toBeGreaterThan(200);
  });
});
