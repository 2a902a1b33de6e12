import { createPolicyClient, hashApiKey, type PolicyApi } from '@tollgate/contracts/node';

import { chat, eventually, expectStatus, newMember, newTenant } from '../gateway/tenant';
import { ms, percentile, type Finding, type Proof, type ProofOptions } from './proof';
import type { World } from './world';

// The time until a revoked key is refused: from before the management API call to the refusal by
// the last of all replicas, polled through each edge and each policy.

/** For 99 of 100, while all services run. */
const WITHIN_MS = 250;
/** Without the stream the cache is reread after a second, within CATALOG_DEADLINE_MS. */
const CUT_WITHIN_MS = 1_000 + 300;
/** A catalog without a notification polls for changes at its next heartbeat. */
const DEAF_WITHIN_MS = 3_000;
const STALE_MS = 5_000;
/** The polling interval, added to the promised time. */
const ASKING_MS = 200;

export const revocation: Proof = {
  name: 'revocation, on every replica',
  run: async function* run(world, options) {
    const policies = world.policies.map(({ layout }) => clientOf(world, layout.ports.policyGrpc));
    try {
      const ask = { world, policies };
      yield await everyKind(ask, options);
      const cut = async (): Promise<void> => world.catalogWay.cut();
      yield await disturbed(ask, options, 'connections to the catalog cut', cut, CUT_WITHIN_MS);
      if (options.short) return;
      const deaf = async (): Promise<void> => {
        await world.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'tollgate-catalog-outbox'`,
        );
      };
      yield await disturbed(ask, options, 'the catalogs not notified', deaf, DEAF_WITHIN_MS);
      yield await silent(world);
    } finally {
      for (const policy of policies) policy.close();
    }
  },
};

interface Asked {
  readonly world: World;
  readonly policies: readonly PolicyApi[];
}

/** A valid key, and the call that revokes it. */
interface Good {
  readonly key: string;
  readonly takeAway: () => Promise<unknown>;
}

type Kind = (world: World) => Promise<Good>;

async function ofOrganisation(
  world: World,
  end: (at: { base: string; keyPath: string; id: string }) => Promise<unknown>,
): Promise<Good> {
  const tenant = await newTenant(world);
  const { id, key } = await tenant.key();
  const keyPath = `${tenant.base}/apikeys/${id}`;
  return { key, takeAway: () => end({ base: tenant.base, keyPath, id: tenant.id }) };
}

const keyRevoked: Kind = (world) =>
  ofOrganisation(world, async ({ keyPath }) => done(await world.rest.post(`${keyPath}/revoke`)));

const KINDS: Readonly<Record<string, Kind>> = {
  'key revoked': keyRevoked,
  'grants taken': (world) =>
    ofOrganisation(world, async ({ keyPath }) =>
      done(await world.rest.patch(keyPath, { modelIds: [] })),
    ),
  'user disabled': async (world) => {
    const tenant = await newTenant(world);
    const { teamId, userId } = await newMember(tenant);
    const { key } = await tenant.key({ type: 'USER', userId, teamId });
    const path = `${tenant.base}/users/${userId}/disable`;
    return { key, takeAway: async () => done(await world.rest.post(path)) };
  },
  'organisation suspended': (world) =>
    ofOrganisation(world, async ({ id }) =>
      done(await world.rest.post(`/api/admin/organisations/${id}/suspend`)),
    ),
};

type Answer = Parameters<typeof expectStatus>[0];

function done(answer: Answer): void {
  expectStatus(answer, 200);
}

function clientOf({ internalToken }: World, port: number): PolicyApi {
  return createPolicyClient({
    address: `127.0.0.1:${String(port)}`,
    token: internalToken,
    deadlineMs: 20_000,
  });
}

async function everyKind(asked: Asked, { short }: ProofOptions): Promise<Finding> {
  const rounds = short ? 1 : 25;
  const took: number[] = [];
  const slowest: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, kind] of Object.entries(KINDS)) {
      const one = await timed(asked, await kind(asked.world), async () => undefined);
      took.push(one);
      slowest[name] = Math.max(one, slowest[name] ?? 0);
    }
  }
  const p99 = percentile(took, 0.99);
  const [slow] = Object.entries(slowest).toSorted(([, a], [, b]) => b - a);
  const tooSlow = !short && p99 >= WITHIN_MS;
  return {
    name: 'revocation, everything up',
    figures: { ...figuresOf(asked, took, WITHIN_MS), slowest: slow?.[0] ?? '' },
    breaches: tooSlow ? [`p99 is ${ms(p99)}, not below ${ms(WITHIN_MS)}`] : [],
  };
}

async function disturbed(
  asked: Asked,
  { short }: ProofOptions,
  what: string,
  disturb: () => Promise<void>,
  withinMs: number,
): Promise<Finding> {
  const took: number[] = [];
  for (let round = 0; round < (short ? 1 : 10); round += 1) {
    took.push(await timed(asked, await keyRevoked(asked.world), disturb));
  }
  const most = Math.max(...took);
  const tooSlow = !short && most > withinMs + ASKING_MS;
  return {
    name: `revocation, ${what}`,
    figures: figuresOf(asked, took, withinMs),
    breaches: tooSlow ? [`refused after ${ms(most)}, which is bounded by ${ms(withinMs)}`] : [],
  };
}

function figuresOf(asked: Asked, took: readonly number[], bound: number): Record<string, string> {
  const { edgeUrls } = asked.world;
  return {
    changes: String(took.length),
    replicas: `${edgeUrls.length} edges × ${asked.policies.length} policies`,
    p50: ms(percentile(took, 0.5)),
    p99: ms(percentile(took, 0.99)),
    most: ms(Math.max(...took)),
    bound: ms(bound),
  };
}

/**
 * The milliseconds from before the change to the first refusal after which no replica allows the
 * key.
 */
async function timed(
  { world, policies }: Asked,
  { key, takeAway }: Good,
  disturb: () => Promise<void>,
): Promise<number> {
  const keySha256 = hashApiKey(key);
  const byEdge = world.edgeUrls.map((url) => async () => {
    const { status } = await chat(url, key);
    if (![200, 401, 403, 503].includes(status)) throw new Error(`answered ${status}`);
    return status === 200;
  });
  // A policy that cannot decide without the catalog does not allow the key.
  const byPolicy = policies.map((policy) => () => letsIn(policy, keySha256).catch(() => false));
  // An edge uses its sessions in turn, two per policy: eight requests in a row reach all of them.
  const looks = [
    ...byEdge.map((look) => ({ look, inARow: 8 })),
    ...byPolicy.map((look) => ({ look, inARow: 3 })),
  ];
  for (const { look, inARow } of looks) await lasting(look, inARow, true);
  const watching = looks.map(({ look, inARow }) => lasting(look, inARow, false));
  await disturb();
  const startedMs = performance.now();
  const [, ...refusedMs] = await Promise.all([takeAway(), ...watching]);
  return Math.max(...refusedMs) - startedMs;
}

/** The time of the first of a run of equal answers, with no other answer after it. */
async function lasting(
  look: () => Promise<boolean>,
  inARow: number,
  wanted: boolean,
): Promise<number> {
  let sinceMs = 0;
  let times = 0;
  await eventually(wanted ? 'let in everywhere' : 'refused everywhere', async () => {
    // Without a pause, which would add to the measurement.
    for (let n = 0; n < 1_000 && times < inARow; n += 1) {
      times = (await look()) === wanted ? times + 1 : 0;
      if (times === 1) sinceMs = performance.now();
    }
    return times >= inARow;
  });
  return sinceMs;
}

async function letsIn(policy: PolicyApi, keySha256: Buffer): Promise<boolean> {
  const { valid, models } = await policy.validateKey({ keySha256 });
  return valid && models.length > 0;
}

/**
 * A silent catalog: cached keys keep working by design, but only for CONTEXT_STALE_MS. Its default
 * is a quarter of an hour; here a separate policy has seconds.
 */
async function silent(world: World): Promise<Finding> {
  const apart = await world.anotherPolicy({
    CONTEXT_FRESH_MS: '1000',
    CONTEXT_STALE_MS: String(STALE_MS),
  });
  const policy = clientOf(world, apart.layout.ports.policyGrpc);
  const breaches: string[] = [];
  try {
    const { key, takeAway } = await keyRevoked(world);
    const keySha256 = hashApiKey(key);
    await lasting(() => letsIn(policy, keySha256), 3, true);
    world.catalogWay.hold(true);
    const startedMs = performance.now();
    await takeAway();
    // Neither allowed nor refused: an error that names the catalog.
    const look = (): Promise<boolean> => letsIn(policy, keySha256).catch(() => false);
    const servedMs = (await lasting(look, 3, false)) - startedMs;
    world.catalogWay.hold(false);
    const told = await eventually('the catalog is heard again', () =>
      policy.validateKey({ keySha256 }).catch(() => undefined),
    );
    if (told.valid) breaches.push('let in again after the catalog was heard');
    if (servedMs > STALE_MS + ASKING_MS + 300) {
      breaches.push(`let in for ${ms(servedMs)}, which is bounded by ${ms(STALE_MS)}`);
    }
    return {
      name: 'revocation, the catalog silent',
      figures: { 'let in for': ms(servedMs), bound: `${ms(STALE_MS)} (CONTEXT_STALE_MS)` },
      breaches,
    };
  } finally {
    world.catalogWay.hold(false);
    policy.close();
    await apart.process().stop();
  }
}
