import { modelGrantFromWire } from '@tollgate/contracts';
import type {
  OrganisationContext__Output,
  ResolvedKey__Output,
  ResolveKeysReply__Output,
} from '@tollgate/contracts/node';
import { createBoundedCache, createBreaker, type BoundedCache, type Clock } from '@tollgate/kit';

import { unavailable, type Failure } from '../failure';
import { organisationPlanOf, type OrganisationPlan } from './organisation-plan';
import { planOf, type KeyPlan } from './plan';

export interface KeyReadsDeps {
  /**
   * Asks the catalog for 1 to 64 keys. The shared parts of organisations whose digest is already
   * known are omitted from the reply. The reply may cover only the first keys. Rejects with an
   * AwayError without a reply in time.
   */
  readonly resolveKeys: (
    keySha256: readonly Buffer[],
    knownDigests: readonly Buffer[],
  ) => Promise<ResolveKeysReply__Output>;
  /** The current change number; a reading carries the number at its start. */
  readonly changes: () => number;
  readonly clock: Clock;
}

/** The catalog is unreachable or too slow: another call would fail too. */
export class AwayError extends Error {
  override readonly name = 'AwayError';
}

export interface Reading {
  /** Undefined: there is no such key. */
  readonly plan: KeyPlan | undefined;
  /** Digest of what the organisation's keys share; empty without a plan. */
  readonly digest: string;
  readonly outboxSeq: number;
  readonly changesBefore: number;
}

interface ReadOptions {
  readonly digest?: string;
  readonly soon?: boolean;
}

export interface KeyReads {
  /**
   * Reads one key, batched with others. Rejects with UNAVAILABLE. `digest`: of the plan that is
   * being refreshed. `soon`: no request waits, so the read may be delayed for a larger batch.
   */
  readonly read: (keySha256: Buffer, options?: ReadOptions) => Promise<Reading>;
  /** A request waits for that key now. */
  readonly hurry: (keySha256: Buffer) => void;
}

interface ReadOrganisation {
  readonly digest: string;
  readonly plan: OrganisationPlan;
}

interface Ask {
  readonly keySha256: Buffer;
  readonly digest: string;
  readonly resolve: (reading: Reading) => void;
  readonly reject: (error: Error) => void;
}

const KEYS_MAX = 64;
/** Recently read organisations: the next unknown key probably belongs to one of them. */
const RECENT_MAX = 16;
const DIGESTS_MAX = 64;
/** More concurrent calls would each carry fewer keys. */
const CALLS_AT_ONCE = 2;
const KEPT_BACK_MS = 200;
const WAITING_MAX = 512;
/** Organisations whose shared part is cached for the next of their keys. */
const ORGANISATIONS_MAX = 1_000;

interface ReadQueue extends KeyReadsDeps {
  readonly breaker: ReturnType<typeof createBreaker>;
  readonly organisations: BoundedCache<string, OrganisationPlan>;
  /** Digests of the organisations that were read last. */
  recent: readonly string[];
  urgent: Ask[];
  keptBack: Ask[];
  running: number;
  turn: NodeJS.Immediate | undefined;
  timer: NodeJS.Timeout | undefined;
}

export function createKeyReads(deps: KeyReadsDeps): KeyReads {
  const queue: ReadQueue = {
    ...deps,
    breaker: createBreaker({ failures: 3, coolMs: 500, clock: deps.clock }),
    organisations: createBoundedCache({ max: ORGANISATIONS_MAX }),
    recent: [],
    urgent: [],
    keptBack: [],
    running: 0,
    turn: undefined,
    timer: undefined,
  };
  return {
    read: (keySha256, options = {}) => read(queue, keySha256, options),
    hurry: (keySha256) => hurry(queue, keySha256),
  };
}

function read(
  queue: ReadQueue,
  keySha256: Buffer,
  { digest = '', soon = false }: ReadOptions,
): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const asks = soon ? queue.keptBack : queue.urgent;
    if (asks.length >= WAITING_MAX) {
      reject(unavailable('catalog', 'too many unknown keys wait for the catalog'));
      return;
    }
    asks.push({ keySha256, digest, resolve, reject });
    if (soon) queue.timer ??= setTimeout(() => releaseKeptBack(queue), KEPT_BACK_MS).unref();
    else atEndOfTurn(queue);
  });
}

function hurry(queue: ReadQueue, keySha256: Buffer): void {
  const index = queue.keptBack.findIndex((ask) => ask.keySha256.equals(keySha256));
  if (index === -1) return;
  queue.urgent.push(...queue.keptBack.splice(index, 1));
  atEndOfTurn(queue);
}

function releaseKeptBack(queue: ReadQueue): void {
  queue.timer = undefined;
  queue.urgent.push(...queue.keptBack);
  queue.keptBack = [];
  next(queue);
}

// Requests arrive in frames, so keys of one event-loop turn are read together.
function atEndOfTurn(queue: ReadQueue): void {
  queue.turn ??= setImmediate(() => {
    queue.turn = undefined;
    next(queue);
  });
}

function next(queue: ReadQueue): void {
  while (queue.running < CALLS_AT_ONCE && queue.urgent.length > 0) {
    const asks = queue.urgent.splice(0, KEYS_MAX);
    asks.push(...queue.keptBack.splice(0, KEYS_MAX - asks.length));
    queue.running += 1;
    void call(queue, asks).finally(() => {
      queue.running -= 1;
      next(queue);
    });
  }
}

// Never rejects: every waiting read gets its result or error.
async function call(queue: ReadQueue, asks: readonly Ask[]): Promise<void> {
  if (!queue.breaker.allow()) {
    refuse(asks, unavailable('catalog', 'the catalog does not reply'));
    return;
  }
  const digests = knownOf(queue, asks);
  const sent = new Map(digests.map((digest) => [digest, queue.organisations.get(digest)]));
  const changesBefore = queue.changes();
  let reply: ResolveKeysReply__Output;
  try {
    reply = await queue.resolveKeys(
      asks.map(({ keySha256 }) => keySha256),
      digests.map((digest) => Buffer.from(digest, 'latin1')),
    );
    queue.breaker.succeeded();
  } catch (error) {
    await failed(queue, asks, error);
    return;
  }
  if (reply.keys.length === 0) {
    refuse(asks, unavailable('catalog', 'the catalog replied without a requested key'));
    return;
  }
  const plans = reply.organisations.map((context) => organisationOf(queue, context, sent));
  for (const [index, ask] of asks.entries()) {
    const key = reply.keys[index];
    if (key === undefined) queue.urgent.push(ask);
    else answer(ask, key, plans[key.organisation], { outboxSeq: reply.outboxSeq, changesBefore });
  }
}

// One unreadable key must not block the others: they are retried separately. An unreachable
// catalog fails them all at once.
async function failed(queue: ReadQueue, asks: readonly Ask[], error: unknown): Promise<void> {
  const failure = unavailable('catalog', 'the catalog does not reply', error);
  if (asks.length > 1 && !(error instanceof AwayError)) {
    const half = Math.ceil(asks.length / 2);
    await call(queue, asks.slice(0, half));
    await call(queue, asks.slice(half));
    return;
  }
  queue.breaker.failed();
  refuse(asks, failure);
  if (error instanceof AwayError) refuse(queue.urgent.splice(0), failure);
}

function knownOf(queue: ReadQueue, asks: readonly Ask[]): string[] {
  const digests = new Set([...asks.map(({ digest }) => digest), ...queue.recent]);
  const known = [...digests].filter((digest) => queue.organisations.peek(digest) !== undefined);
  return known.slice(0, DIGESTS_MAX);
}

// An invalid context fails only the keys that need it.
function organisationOf(
  queue: ReadQueue,
  context: OrganisationContext__Output,
  sent: ReadonlyMap<string, OrganisationPlan | undefined>,
): ReadOrganisation | Error {
  const digest = context.digest.toString('latin1');
  queue.recent = [digest, ...queue.recent.filter((other) => other !== digest)].slice(0, RECENT_MAX);
  const kept = sent.get(digest) ?? queue.organisations.get(digest);
  if (kept !== undefined) return { digest, plan: kept };
  try {
    if (context.known)
      throw new RangeError('the catalog omitted an organisation whose digest was not sent');
    const plan = organisationPlanOf(context);
    queue.organisations.set(digest, plan);
    return { digest, plan };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function answer(
  ask: Ask,
  { found, context, grantedModelIds, modelGrants }: ResolvedKey__Output,
  organisation: ReadOrganisation | Error | undefined,
  position: Pick<Reading, 'outboxSeq' | 'changesBefore'>,
): void {
  try {
    if (!found) {
      ask.resolve({ plan: undefined, digest: '', ...position });
      return;
    }
    if (organisation instanceof Error) throw organisation;
    if (context === null || organisation === undefined) {
      throw new RangeError('the catalog found a key but sent no context or organisation');
    }
    const plan = planOf(context, {
      organisation: organisation.plan,
      grantedModelIds,
      standingGrants: modelGrants.map(modelGrantFromWire),
    });
    ask.resolve({ plan, digest: organisation.digest, ...position });
  } catch (error) {
    refuse([ask], unavailable('catalog', 'the catalog does not reply', error));
  }
}

function refuse(asks: readonly Ask[], failure: Failure): void {
  for (const ask of asks) ask.reject(failure);
}
