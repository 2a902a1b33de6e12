import { ROUTING_STRATEGIES } from '@tollgate/contracts';
import type { AuthorizeReply__Output, DryRunReply__Output } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';
import fc from 'fast-check';

import { screeningEntry } from '../test-support/contexts';
import { startRig, type Rig } from '../test-support/rig';
import { candidateModel } from './test-support/policies';
import { leftOut, routedKeys } from './test-support/routed-keys';

// Whatever regions are set, whatever the strategy and whatever has failed: no request is offered a
// candidate outside of the allowed regions, or whose texts a service outside of them would get. What is allowed is computed here a second time.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ UPSTREAM_BREAKER_FAILURES: '2', UPSTREAM_BREAKER_OPEN_MS: '600000' });
});
afterAll(async () => {
  await rig.stop();
});

const { key, report } = routedKeys(() => rig, 'regions');

const REGIONS = ['eu', 'us', 'asia-1'];
const CANDIDATES = 4;

const someRegions = fc.oneof(
  { weight: 2, arbitrary: fc.constant([] as string[]) },
  { weight: 3, arbitrary: fc.uniqueArray(fc.constantFrom(...REGIONS), { maxLength: 3 }) },
);
const world = fc.record({
  organisation: someRegions,
  team: someRegions,
  apiKey: someRegions,
  models: fc.array(fc.record({ region: fc.constantFrom('', ...REGIONS), allowed: someRegions }), {
    minLength: CANDIDATES,
    maxLength: CANDIDATES,
  }),
  strategy: fc.constantFrom(...ROUTING_STRATEGIES),
  failed: fc.uniqueArray(fc.nat(CANDIDATES - 1), { maxLength: 2 }),
  hedgeAfterMs: fc.constantFrom(0, 100),
  affinity: fc.boolean(),
  /** Where the service is that screens all requests. */
  service: fc.option(fc.constantFrom('', ...REGIONS), { nil: undefined, freq: 1 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function mayUse({ organisation, team, apiKey, models, service }: World, place: number): boolean {
  const model = models[place];
  if (model === undefined) throw new Error(`there is no candidate ${String(place)}`);
  const places = service === undefined ? [model.region] : [model.region, service];
  return [organisation, team, apiKey, model.allowed].every(
    (set) => set.length === 0 || places.every((region) => region !== '' && set.includes(region)),
  );
}

/** Breakers are kept by provider and model, so each run has its own: m40 is the first of the tenth. */
const placeOf = (modelId: string): number => Number(modelId.slice(1)) % CANDIDATES;
const placesOf = (reply: Pick<AuthorizeReply__Output | DryRunReply__Output, 'allow'>): number[] =>
  (reply.allow?.candidates ?? []).map(({ modelId }) => placeOf(modelId));

test('no request is offered a candidate outside of its regions', async () => {
  let runs = 0;
  const seen = { offered: 0, refused: 0, leftOut: 0 };

  const run = async (made: World): Promise<void> => {
    runs += 1;
    const first = runs * CANDIDATES;
    const models = made.models.map(({ region, allowed }, place) =>
      candidateModel(first + place, { region, allowedRegions: allowed }),
    );
    const allowedRegions = [
      { scopeType: 'ORGANISATION', regions: made.organisation },
      { scopeType: 'TEAM', regions: made.team },
      { scopeType: 'API_KEY', regions: made.apiKey },
    ].filter(({ regions }) => regions.length > 0);
    const screening =
      made.service === undefined
        ? []
        : [
            {
              ...screeningEntry('everywhere', ['NEW_SCOPE', 'anything']),
              services: [{ identifier: 'checker', region: made.service }],
            },
          ];
    const { strategy, hedgeAfterMs } = made;
    const { authorize, organisationId, request } = key(
      models,
      { strategy, hedgeAfterMs, triggers: ['any'], retries: 1 },
      { allowedRegions, screening, routeCompatRequests: false },
    );
    for (const place of made.failed) {
      const failure = { outcome: 'HTTP_500', latencyMs: 5 };
      await report(organisationId, `m${String(first + place)}`, [failure, failure, failure]);
    }
    const inside = models.map((_, place) => place).filter((place) => mayUse(made, place));
    const healthy = inside.filter((place) => !made.failed.includes(place));
    const affinity = made.affinity ? Buffer.from('12345678') : Buffer.alloc(0);

    const routed = await authorize({ affinity });
    expect(placesOf(routed).toSorted((a, b) => a - b)).toEqual(healthy);
    for (const { modelId, region } of routed.allow?.candidates ?? []) {
      expect(region).toBe(made.models[placeOf(modelId)]?.region);
    }
    if (healthy.length > 0) {
      const outside = Object.entries(leftOut(routed)).filter(([, reason]) =>
        reason.endsWith('region'),
      );
      expect(outside).toHaveLength(CANDIDATES - inside.length);
      seen.leftOut += outside.length;
    } else {
      const code = inside.length > 0 ? 'upstream_error' : 'region_not_allowed';
      expect(routed.denial?.code).toBe(code);
      seen.refused += 1;
    }
    const dry = await callUnary(rig.client, 'dryRun', request({ affinity }), {
      deadlineMs: 15_000,
    });
    expect(placesOf(dry).toSorted((a, b) => a - b)).toEqual(healthy);

    // Without the routing policy.
    for (const [place, { name }] of models.entries()) {
      const direct = { model: name, family: 'openai', route: '/v1/chat/completions' };
      const alone = await authorize(direct);
      expect(placesOf(alone)).toEqual(inside.includes(place) ? [place] : []);
      if (!inside.includes(place)) expect(alone.denial?.code).toBe('region_not_allowed');
      seen.offered += placesOf(alone).length;
    }
  };

  await fc.assert(fc.asyncProperty(world, run), { numRuns: 60 });
  expect(seen.offered).toBeGreaterThan(40);
  expect(seen.refused).toBeGreaterThan(5);
  expect(seen.leftOut).toBeGreaterThan(5);
});
