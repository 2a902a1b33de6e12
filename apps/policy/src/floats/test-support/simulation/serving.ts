import type { EndContent, FloatExtension } from '../..';
import {
  KEPT_BY,
  StoreUnavailableError,
  UnansweredError,
  type AuthorizeCounter,
} from '../../../store';
import {
  abandonedEnd,
  call,
  endContent,
  follow,
  inTurn,
  mayFreeze,
  pauseOf,
  reply,
  seed,
  type Policy,
} from './policies';
import {
  after,
  breach,
  countersOf,
  isAlive,
  LEASE_MS,
  note,
  ticket,
  type Request,
  type Session,
  type World,
} from './world';

// What a policy does with what edges ask: from memory, or with today's scripts.

export interface Allowed {
  nowMs: number;
  leaseUntilMs: number;
  floatId: string;
  epoch: number;
  counters: AuthorizeCounter[];
}

/** null: refused or failed; the edge may ask another session if it failed. */
export type Answer = { allow: Allowed } | { refused: boolean };

const ORPHAN_AFTER_MS = 600;
const WAIT_FOR_FLOATS_MS = 150;

export function decide(
  w: World,
  s: Session,
  r: Request,
  resent: boolean,
  told: (answer: Answer) => void,
): void {
  const p = s.policy;
  const { floats } = p;
  const counters = countersOf(p.plan, r, floats.redisMs(w.shard) ?? w.now);
  const text = ticket(w, r, counters, r.amounts);
  const decision = floats.authorize(w.shard, {
    requestId: r.id,
    session: s.id,
    resent,
    leaseMs: LEASE_MS,
    ticketText: text,
    counters,
  });
  if (decision?.kind === 'ALLOW') {
    w.counts.memory += 1;
    mayFreeze(w, p, 0.003);
    const { nowMs, leaseUntilMs, floatId } = decision;
    const by = w.tickets.get(decision.ticketText)?.counters ?? counters;
    const { epoch } = p;
    const allow = { nowMs, leaseUntilMs, floatId, epoch, counters: by };
    return after(w, 0.05, () =>
      inTurn(w, p, () => {
        if (s.openAtPolicy) reply(w, s, () => told({ allow }));
        else dropUntold(w, p, r, by);
      }),
    );
  }
  if (decision?.kind === 'ENDED') return reply(w, s, () => told({ refused: true }));
  void decideExactly(w, p, r)
    .catch((error: unknown) => failed(error))
    .then((answer) => reply(w, s, () => told(answer)));
}

/** As ../../../holds/untold.ts does. */
function dropUntold(w: World, p: Policy, r: Request, counters: AuthorizeCounter[]): void {
  const cancel = (): void => void cancelOrphan(w, p, r, counters, KEPT_BY);
  void p.floats.drop(w.shard, r.id)?.then(() => after(w, ORPHAN_AFTER_MS, cancel));
}

function failed(error: unknown): Answer {
  if (error instanceof StoreUnavailableError) return { refused: false };
  throw error;
}

async function decideExactly(w: World, p: Policy, r: Request): Promise<Answer> {
  let ms = p.floats.redisMs(w.shard) ?? w.now;
  let waitedMs = 0;
  w.counts.exact += 1;
  for (let round = 0; round < 16; round += 1) {
    const counters = countersOf(p.plan, r, ms);
    const { epoch } = p;
    const outcome = await ask(w, p, r, counters);
    switch (outcome.kind) {
      case 'ALLOW': {
        const { nowMs, leaseUntilMs, ticketText } = outcome;
        const by = w.tickets.get(ticketText)?.counters ?? counters;
        return { allow: { nowMs, leaseUntilMs, floatId: '', epoch, counters: by } };
      }
      case 'CLOCK':
        ms = outcome.nowMs;
        break;
      case 'COLD':
        await seed(w, p, outcome.limitIds, ms);
        break;
      case 'EPOCH':
        await follow(w, p, outcome);
        break;
      case 'DENY':
        if (outcome.lent !== true || waitedMs >= WAIT_FOR_FLOATS_MS) {
          w.counts.denied += 1;
          return { refused: true };
        }
        waitedMs += 20;
        await pauseOf(w, p, 20);
        break;
      default:
        return { refused: true };
    }
  }
  return { refused: true };
}

async function ask(w: World, p: Policy, r: Request, counters: AuthorizeCounter[]) {
  const attempt = `${p.name} ${(w.made += 1)}`;
  const ticketText = ticket(w, r, counters, r.amounts);
  const { shard } = w;
  const { epoch } = p;
  const item = { shard, epoch, requestId: r.id, ticketText, attempt, leaseMs: LEASE_MS, counters };
  try {
    return await call(w, p, () => w.store.authorize(item));
  } catch (error) {
    if (error instanceof UnansweredError)
      after(w, ORPHAN_AFTER_MS, () => void cancelOrphan(w, p, r, counters, attempt));
    throw error;
  }
}

async function cancelOrphan(
  w: World,
  p: Policy,
  r: Request,
  counters: AuthorizeCounter[],
  attempt: string,
): Promise<void> {
  const content = endContent(w, r, 'CANCELLED', counters, r.amounts);
  await closeExactly(w, p, r, content, { orphan: true, attempt }).catch(failed);
}

/** A cancelled hold has no entry in the ledger. */
const isEntry = ({ mode }: EndContent): boolean => mode !== 'CANCELLED';

/** Resolves to the number of the entry; 0: none. */
async function closeExactly(
  w: World,
  p: Policy,
  r: Request,
  content: EndContent,
  more: { orphan?: true; attempt?: string; floatId?: string } = {},
): Promise<{ seq: number; epoch: number }> {
  for (let round = 0; round < 8; round += 1) {
    const { shard } = w;
    const { epoch } = p;
    const about = { requestId: r.id, authorisedAtMs: r.at, leaseUntilMs: r.leaseUntil };
    const item = { shard, epoch, ...about, ...content, counters: [...content.counters], ...more };
    const outcome = await call(w, p, () => w.store.close(item));
    if (outcome.kind === 'EPOCH') await follow(w, p, outcome);
    else return { seq: isEntry(content) && 'seq' in outcome ? outcome.seq : 0, epoch };
  }
  throw new UnansweredError('the epoch keeps changing');
}

export function settle(
  w: World,
  s: Session,
  r: Request,
  content: EndContent,
  told: (acked: { seq: number; epoch: number }) => void,
): void {
  const p = s.policy;
  const { floatId } = r;
  const inMemory = p.floats.settle(w.shard, r.id, content);
  const { epoch } = p;
  const ended = async (): Promise<{ seq: number; epoch: number }> => {
    const outcome = await inMemory;
    if (outcome?.kind === 'CLOSED') return { seq: outcome.seq, epoch };
    return await closeExactly(w, p, r, content, { floatId });
  };
  void ended()
    .then((acked) => reply(w, s, () => told(acked)))
    .catch(failed);
}

export interface Extension extends Omit<FloatExtension, 'session'> {
  previousTicketText: string;
  /** Redis must have the hold: its float may be lost. */
  adopt: boolean;
  /** What the request may cost in all. */
  cost: bigint;
}
export type Extended = { leaseUntilMs: number; granted: boolean; exact: boolean } | 'GONE';

export function extend(
  w: World,
  s: Session,
  r: Request,
  extension: Extension,
  told: (outcome: Extended) => void,
): void {
  const p = s.policy;
  const inMemory = extension.adopt
    ? undefined
    : p.floats.extend(w.shard, { ...extension, session: s.id });
  if (inMemory !== undefined && 'kind' in inMemory) {
    if (inMemory.kind === 'GONE') return reply(w, s, () => told('GONE'));
    const { leaseUntilMs } = inMemory;
    took(w, r, extension);
    return reply(w, s, () => told({ leaseUntilMs, granted: true, exact: false }));
  }
  void extendExactly(w, p, r, extension, inMemory)
    .then((outcome) => outcome && reply(w, s, () => told(outcome)))
    .catch(failed);
}

function took({ now }: World, r: Request, { cost }: Pick<Extension, 'cost'>): void {
  r.took.push({ cost, at: Math.floor(now) });
}

async function extendExactly(
  w: World,
  p: Policy,
  r: Request,
  { adopt, ...extension }: Extension,
  kept: Promise<unknown> | undefined,
): Promise<Extended | undefined> {
  await kept;
  for (let round = 0; round < 8; round += 1) {
    const { shard } = w;
    const { epoch } = p;
    const about = { authorisedAtMs: r.at };
    const counters = [...extension.counters];
    const item = { shard, epoch, ...extension, counters, ...about };
    const outcome = await call(w, p, async () => {
      const done = await w.store.extend(item);
      if (done.kind === 'GRANTED' || done.kind === 'ADOPTED') took(w, r, extension);
      return done;
    });
    switch (outcome.kind) {
      case 'GRANTED':
      case 'ADOPTED':
      case 'DENY': {
        if (adopt) void p.floats.drop(shard, r.id);
        const { leaseUntilMs } = outcome;
        return { leaseUntilMs, granted: outcome.kind !== 'DENY', exact: true };
      }
      case 'GONE':
        return 'GONE';
      case 'EPOCH':
        await follow(w, p, outcome);
        break;
      case 'COLD':
        await seed(w, p, outcome.limitIds, w.now);
        break;
      case 'CLOSED':
        return { leaseUntilMs: outcome.leaseUntilMs, granted: false, exact: true };
    }
  }
  return undefined;
}

/** The sweeper of one policy: holds and floats whose lease is over. */
export async function sweep(w: World, p: Policy): Promise<void> {
  const { shard } = w;
  const ids = await call(w, p, () => w.store.expiredLeases(shard, 200));
  const floatIds = await call(w, p, () => w.store.expiredFloats(shard, 50));
  for (const floatId of floatIds) {
    const item = { shard, epoch: p.epoch, floatId, leaseMs: LEASE_MS };
    const outcome = await call(w, p, () => w.store.reclaim(item));
    note(w, `${floatId} is reclaimed: ${outcome.kind}`);
    if (outcome.kind === 'EPOCH') await follow(w, p, outcome);
    if (outcome.kind === 'DONE') await checkReclaimed(w, floatId);
  }
  for (const id of ids) {
    const hold = await w.store.readHold(shard, id);
    const r = w.requests.find((one) => one.id === id);
    if (r === undefined) throw new Error(`nobody knows ${id}`);
    if (hold === null || hold.state !== 'HELD') continue;
    const content = abandonedEnd(w, hold.ticketText);
    note(w, `${id} is abandoned`);
    await closeExactly(w, p, { ...r, at: hold.authorisedAtMs }, content);
  }
}

/** What runs on was adopted in time, or was in the journal. */
async function checkReclaimed(w: World, floatId: string): Promise<void> {
  const running = w.requests.filter((r) => r.state === 'RUNNING' && r.floatId === floatId);
  for (const r of running.filter((one) => isAlive(w, one))) {
    const hold = await w.store.readHold(w.shard, r.id);
    if (hold?.state !== 'HELD')
      breach(w, `${r.id} runs on without a hold, ${floatId} is reclaimed`);
  }
}
