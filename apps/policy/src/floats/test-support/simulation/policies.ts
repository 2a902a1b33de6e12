import { createFloats, FLOAT_PARAMETERS, type EndContent, type Floats } from '../..';
import {
  StoreUnavailableError,
  UnansweredError,
  type AuthorizeCounter,
  type EpochOutcome,
  type Store,
} from '../../../store';
import { quiet } from '../../../store/test-support/backends';
import { usage } from '../../../store/test-support/requests';
import { COMING_AND_GOING, QUIET_PARAMETERS } from '../parameters';
import {
  after,
  amountOf,
  at,
  breach,
  GRACE_MS,
  isWindowed,
  LEASE_MS,
  limitOf,
  note,
  oneOf,
  script,
  type Amounts,
  type Request,
  type Session,
  type SimLimit,
  type World,
} from './world';

// A policy process with the real memory, its way to Redis, and its sessions.

export interface Policy {
  name: string;
  alive: boolean;
  draining: boolean;
  frozenUntil: number;
  /** Cut off from Redis, or from the edges. */
  cutUntil: number;
  edgeCutUntil: number;
  /** Until when a policy that does not know floats was seen. */
  olderUntil: number;
  /** How long the monotonic clock stood still. */
  sleptMs: number;
  plan: SimLimit[];
  epoch: number;
  floats: Floats;
}

const REDIS_DEADLINE_MS = 250;
const LATE_MS = 500;
export const LEDGER_MAX = 1_000;

export function startPolicy(w: World): Policy {
  const name = `p${(w.made += 1)}`;
  const p: Omit<Policy, 'floats'> & { floats?: Floats } = {
    name,
    alive: true,
    draining: false,
    frozenUntil: 0,
    cutUntil: 0,
    edgeCutUntil: 0,
    olderUntil: 0,
    sleptMs: 0,
    plan: w.limits.map((one) => ({ ...one })),
    epoch: w.epoch,
  };
  const policy = p as Policy;
  const store: Pick<Store, 'post' | 'reclaim'> = {
    post: (item) => {
      w.counts.posts += 1;
      return call(w, policy, () => w.store.post(item));
    },
    reclaim: (item) => call(w, policy, () => w.store.reclaim(item)),
  };
  const create = w.without.create ?? createFloats;
  policy.floats = create({
    store,
    clock: { monotonicMs: () => w.now - policy.sleptMs, wallMs: () => w.now },
    parameters: w.seed % 4 === 1 ? COMING_AND_GOING : QUIET_PARAMETERS,
    processId: name,
    leaseMs: LEASE_MS,
    ledgerMax: LEDGER_MAX,
    allKnowFloats: () => w.now >= policy.olderUntil,
    epochOf: () => policy.epoch,
    onEpoch: (_shard, outcome) => void follow(w, policy, outcome),
    onAdopt: (_shard, floatId) => adoptNotice(w, policy, floatId),
    abandoned: ({ ticketText }) => abandonedEnd(w, ticketText),
    log: quiet,
  });
  w.policies.push(policy);
  tick(w, policy);
  return policy;
}

let onAdoptNotice: (w: World, s: Session, floatId: string) => void = () => {};
/** The edges' part is in a file of its own. */
export function whenAdoptNoticed(run: typeof onAdoptNotice): void {
  onAdoptNotice = run;
}

function adoptNotice(w: World, p: Policy, floatId: string): void {
  if (w.without.adoptNotice) return;
  for (const s of w.sessions.values()) {
    if (s.policy === p) reply(w, s, () => onAdoptNotice(w, s, floatId));
  }
}

function tick(w: World, p: Policy): void {
  const run = (): void => {
    if (!p.alive) return;
    if (w.now < p.frozenUntil) return at(w, p.frozenUntil, run, true);
    p.floats.tick();
    tick(w, p);
  };
  at(w, w.now + FLOAT_PARAMETERS.postIntervalMs, run, true);
}

/** Runs as soon as the policy runs. */
export function inTurn(w: World, p: Policy, run: () => unknown): unknown {
  if (!p.alive) return undefined;
  if (w.now < p.frozenUntil) return at(w, p.frozenUntil, () => inTurn(w, p, run));
  return run();
}

/** The policy may stop at any await, for any time. */
export function mayFreeze(w: World, p: Policy, chance = 0.0015): void {
  if (w.calm || w.now < w.impairedUntil || !w.random.chance(chance)) return;
  freeze(w, p, 50 + w.random.below(w.random.chance(0.3) ? 8_000 : 1_500));
}

export function freeze(w: World, p: Policy, ms: number): void {
  note(w, `${p.name} freezes for ${ms}`);
  w.counts.faults += 1;
  p.frozenUntil = w.now + ms;
  if (w.random.chance(0.3)) p.sleptMs += ms;
  w.impairedUntil = p.frozenUntil + 1_000;
}

const latency = (w: World): number => {
  const { random } = w;
  if (w.calm || random.chance(0.97)) return 0.1 + random.below(10) / 10;
  return random.below(random.chance(0.3) ? 400 : 30);
};

/** A call of Redis: late, twice, without effect or without answer. */
export function call<T>(w: World, p: Policy, run: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const sentAt = w.now;
    const { random } = w;
    let answered = false;
    const told = (answer: () => void): unknown =>
      inTurn(w, p, () => {
        answered = true;
        answer();
      });
    at(w, sentAt + REDIS_DEADLINE_MS, () =>
      told(() => reject(new UnansweredError('redis did not answer'))),
    );
    const execute = async (): Promise<void> => {
      if (w.now < p.cutUntil || w.now > sentAt + LATE_MS) return;
      try {
        const result = await script(w, run);
        if (w.now < p.cutUntil || (!w.calm && random.chance(0.003))) return;
        after(w, latency(w), () => w.now >= p.cutUntil && told(() => resolve(result)));
      } catch (error) {
        const known = error instanceof Error ? error : new Error(String(error));
        // What a call that was answered says when it runs once more is read by nobody.
        if (!answered && !(error instanceof StoreUnavailableError))
          breach(w, `a script failed: ${known.message}`);
        told(() => reject(known));
      }
    };
    const leave = (): void => {
      if (!p.alive) return;
      if (w.now < p.frozenUntil) return at(w, p.frozenUntil, leave);
      if (!w.calm && random.chance(0.002)) return;
      after(w, latency(w), execute);
      if (!w.calm && random.chance(0.004)) after(w, random.below(450), execute);
    };
    mayFreeze(w, p);
    leave();
  });
}

/** The edge's message reaches the policy over a session. */
export function send(w: World, s: Session, run: () => unknown): void {
  const p = s.policy;
  after(w, latency(w), () => {
    if (w.now < p.edgeCutUntil) return;
    inTurn(w, p, () => s.openAtPolicy && run());
  });
}

/** The policy writes to a session; nothing is taken from a session that the edge has closed. */
export function reply(w: World, s: Session, run: () => unknown): void {
  const p = s.policy;
  const generation = w.edges[s.edge]?.generation;
  const write = (): unknown => {
    if (!p.alive || w.now < p.edgeCutUntil) return undefined;
    if (w.now < p.frozenUntil) return at(w, p.frozenUntil, write);
    return after(w, latency(w), () => {
      if (!s.openAtEdge || w.edges[s.edge]?.generation !== generation) return;
      s.heardAt = w.now;
      run();
    });
  };
  write();
}

/** What an end says: the usage, and what each limit is charged. */
export function endContent(
  w: World,
  r: Pick<Request, 'dimensions' | 'id'>,
  mode: EndContent['mode'],
  counters: readonly AuthorizeCounter[],
  amounts: Amounts,
): EndContent {
  const none = mode === 'CANCELLED';
  const spent = none ? { cost: 0n, tokens: 0n } : amounts;
  return {
    mode,
    counters: counters.map(({ limitId, kind, windowStartMs, windowEndMs }) => {
      const charge = none || kind === 'CONCURRENCY' ? 0n : amountOf(limitOf(w, limitId), spent);
      return { limitId, kind, windowStartMs, windowEndMs, spent: charge };
    }),
    usage: usage({ REQUESTS: none ? 0n : 1n, COST: spent.cost, TOKENS: spent.tokens }),
    dimensions: r.dimensions,
    payload: `${mode} ${r.id}`,
  };
}

export function abandonedEnd(w: World, ticketText: string): EndContent {
  const known = w.tickets.get(ticketText);
  const r = w.requests.find(({ id }) => id === known?.requestId);
  if (known === undefined || r === undefined) throw new Error(`no ticket ${ticketText}`);
  return endContent(w, r, 'ABANDONED', known.counters, known.amounts);
}

let onReopened: (w: World) => void = () => {};
export function whenReopened(run: typeof onReopened): void {
  onReopened = run;
}

/** The policy learns the shard's epoch, or opens the shard after data loss. */
export async function follow(w: World, p: Policy | null, _outcome?: EpochOutcome): Promise<void> {
  const meta = await w.store.readMeta(w.shard);
  const { epoch: granted } = w.catalog.state();
  if (!meta?.sameServer || meta.epoch !== granted) {
    const { epoch: newEpoch, lastSeq: position, rev } = w.catalog.advanceEpoch(granted);
    const graceMs = newEpoch === 1 ? 0 : GRACE_MS;
    await script(w, () => w.store.open({ shard: w.shard, newEpoch, position, rev, graceMs }));
    w.epoch = newEpoch;
    w.completeFrom = w.now + graceMs;
    note(w, `epoch ${newEpoch}`);
    if (newEpoch > 1) onReopened(w);
  }
  if (p) p.epoch = w.epoch;
}

/** Totals of the catalog reach Redis. */
export async function seed(w: World, p: Policy, limitIds: readonly string[], ms: number) {
  const wanted = w.limits.filter((one) => isWindowed(one) && limitIds.includes(one.limitId));
  const { state, counters } = w.catalog.windowTotals(wanted, ms);
  const { epoch, lastSeq: position, rev } = state;
  await pauseOf(w, p, 1 + w.random.below(15));
  await call(w, p, () => w.store.seed({ shard: w.shard, epoch, position, rev, counters }));
}

export const pauseOf = (w: World, p: Policy, ms: number): Promise<void> =>
  new Promise((resolve) => after(w, ms, () => inTurn(w, p, () => resolve())));

export const livingPolicy = (w: World): Policy | undefined =>
  oneOf(
    w.random,
    w.policies.filter(({ alive }) => alive),
  );
