import { LEASE_MAX_MS, shardOf } from '@tollgate/contracts';
import type {
  Allow__Output,
  ExtendReply__Output,
  ExtendRequest,
  SessionResult__Output,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import type { Answer, Item, Payload } from './item';

export type ExtendOutcome =
  | { granted: true }
  /** A limit refuses the extension. */
  | { granted: false; refused: true }
  /** Policy was unreachable, or the hold has ended. */
  | { granted: false; refused: false };

/** The amount of an extension. */
export interface HoldStep {
  outputTokens: number;
  /** For another attempt, which sends the whole input again. */
  inputTokens?: number;
  /** The estimated cost of that attempt, decimal; absent: the price of the output tokens. */
  nanoUsd?: string;
}

/** A background response, and what its settle will say of what is stored. */
export interface PendingResponse {
  responseId: string;
  conversationId: string;
  addedTokens: number;
  readTokens: number;
}

/** The hold of one request, for as long as the request runs. */
export interface Hold {
  readonly requestId: string;
  readonly shard: number;
  /** Everything a settle needs. Each extension replaces it. */
  token: () => Buffer;
  /** Extends the hold for one candidate. Extensions run one at a time; never throws. */
  extend: (modelId: string, add: HoldStep) => Promise<ExtendOutcome>;
  /**
   * The provider continues in the background. Policy is sent the response id now, or with a later
   * renewal, so that requests about it find this hold.
   */
  continueInBackground: (modelId: string, response: PendingResponse) => Promise<ExtendOutcome>;
  /**
   * The request has ended. If an extension is pending, the promise resolves when it is answered,
   * because the settle needs its token.
   */
  end: () => Promise<void> | undefined;
}

export interface HoldRegistry {
  open: (requestId: string, allow: Allow__Output) => Hold;
  /** Redis lost data, so all holds of these shards are taken again. */
  reopened: (shards: readonly number[]) => void;
  inFlight: () => number;
  /** Resolves when no request is running, or after `deadlineMs`. */
  idle: (deadlineMs: number) => Promise<void>;
  stop: () => void;
}

export interface HoldRegistryDeps {
  ask: (payload: Payload, deadlineMs: number, callbacks: Pick<Item, 'answered' | 'late'>) => void;
  deadlineMs: number;
  nowMs: () => number;
  /** Wall clock, in which lease ends are stated. */
  wallMs: () => number;
}

interface Entry {
  requestId: string;
  shard: number;
  modelId: string;
  token: Buffer;
  /** As policy told it with the hold; 0: it did not. */
  leaseMs: number;
  renewAtMs: number;
  ended: boolean;
  /** Policy no longer has the hold because its lease expired, so it is not renewed. */
  gone: boolean;
  /** Redis lost the hold; the next extension takes it again. */
  lost: boolean;
  response: PendingResponse | undefined;
  /** Policy knows the response. */
  responseKnown: boolean;
  chain: Promise<void> | undefined;
}

const NO_INCREASE: HoldStep = { outputTokens: 0 };
const TICK_MS = 500;
/** Where policy does not say how long a lease is, its end is bounded: clocks of two machines differ. */
const GUESSED_LEASE_MIN_MS = 3_000;

interface Registry extends Omit<HoldRegistryDeps, 'ask'> {
  readonly askPolicy: HoldRegistryDeps['ask'];
  readonly entries: TransientMap<string, Entry>;
  ticker: NodeJS.Timeout | undefined;
  onIdle: (() => void) | undefined;
}

// The holds of running requests. A lease is renewed after a third of it, so that two attempts may
// fail before it expires.
export function createHoldRegistry({ ask: askPolicy, ...deps }: HoldRegistryDeps): HoldRegistry {
  const registry: Registry = {
    ...deps,
    askPolicy,
    entries: new TransientMap(),
    ticker: undefined,
    onIdle: undefined,
  };
  return {
    open: (requestId, allow) => open(registry, requestId, allow),
    reopened: (shards) => reopened(registry, shards),
    inFlight: () => registry.entries.size,
    idle: (deadlineMs) => idle(registry, deadlineMs),
    stop: () => clearInterval(registry.ticker),
  };
}

// Each extension returns a new token, which the next one must carry.
function inTurn<T>(entry: Entry, act: () => Promise<T>): Promise<T> {
  const result = entry.chain ? entry.chain.then(act) : act();
  const chain = result.then(() => {
    if (entry.chain === chain) entry.chain = undefined;
  });
  entry.chain = chain;
  return result;
}

function open(registry: Registry, requestId: string, allow: Allow__Output): Hold {
  const entry: Entry = {
    requestId,
    shard: shardOf(allow.subject?.organisationId ?? ''),
    modelId: allow.candidates[0]?.modelId ?? '',
    token: allow.holdToken,
    leaseMs: allow.leaseMs,
    renewAtMs: renewal(registry, allow),
    ended: false,
    gone: false,
    lost: false,
    response: undefined,
    responseKnown: false,
    chain: undefined,
  };
  registry.entries.set(requestId, entry);
  registry.ticker ??= setInterval(tick, TICK_MS, registry);
  return {
    requestId,
    shard: entry.shard,
    token: () => entry.token,
    extend: (modelId, add) => {
      entry.modelId = modelId;
      return inTurn(entry, () => ask(registry, entry, modelId, add));
    },
    continueInBackground: (modelId, response) => {
      Object.assign(entry, { modelId, response, responseKnown: false });
      return inTurn(entry, () => ask(registry, entry, modelId, NO_INCREASE));
    },
    end: () => end(registry, entry),
  };
}

function renewal(registry: Registry, { leaseMs, leaseUntilMs }: Lease): number {
  return registry.nowMs() + (leaseMs || guessedLeaseMs(leaseUntilMs - registry.wallMs())) / 3;
}

function ask(
  registry: Registry,
  entry: Entry,
  modelId: string,
  { outputTokens, inputTokens, nanoUsd }: HoldStep,
): Promise<ExtendOutcome> {
  if (entry.ended) return Promise.resolve({ granted: false, refused: false });
  const message: ExtendRequest = {
    requestId: entry.requestId,
    holdToken: entry.token,
    modelId,
    addOutputTokens: outputTokens,
    adopt: entry.lost,
  };
  const { response } = entry;
  if (response && (!entry.responseKnown || entry.lost)) Object.assign(message, response);
  if (inputTokens !== undefined) message.addInputTokens = inputTokens;
  if (nanoUsd !== undefined) message.addNanoUsd = nanoUsd;
  return new Promise((resolve) => {
    registry.askPolicy({ kind: 'extend', message }, registry.deadlineMs, {
      answered: (answer) => resolve(outcome(registry, entry, answer)),
      late: (result) => {
        outcome(registry, entry, { ok: true, result });
      },
    });
  });
}

function outcome(registry: Registry, entry: Entry, answer: Answer): ExtendOutcome {
  const reply = answer.ok ? extendOf(answer.result) : undefined;
  if (!reply) return { granted: false, refused: false };
  if (reply.granted) {
    if (reply.holdToken.length > 0) entry.token = reply.holdToken;
    entry.renewAtMs = renewal(registry, { ...entry, leaseUntilMs: reply.leaseUntilMs });
    entry.lost = false;
    entry.responseKnown = entry.response !== undefined;
    return { granted: true };
  }
  entry.gone = reply.gone;
  return { granted: false, refused: !reply.gone };
}

function tick(registry: Registry): void {
  const now = registry.nowMs();
  for (const entry of registry.entries.values()) {
    if (!entry.gone && entry.renewAtMs <= now && !entry.chain) renew(registry, entry);
  }
}

function renew(registry: Registry, entry: Entry): void {
  // The answer sets the next renewal; until then it is retried on one of the next ticks.
  entry.renewAtMs = registry.nowMs() + 2 * TICK_MS;
  void inTurn(entry, () => ask(registry, entry, entry.modelId, NO_INCREASE));
}

function reopened(registry: Registry, shards: readonly number[]): void {
  if (shards.length === 0) return;
  const opened = new Set(shards);
  for (const entry of registry.entries.values()) {
    if (!opened.has(entry.shard)) continue;
    entry.gone = false;
    entry.lost = true;
    renew(registry, entry);
  }
}

function end(registry: Registry, entry: Entry): Promise<void> | undefined {
  if (entry.chain) return entry.chain.then(() => close(registry, entry));
  close(registry, entry);
  return undefined;
}

function close(registry: Registry, entry: Entry): void {
  entry.ended = true;
  registry.entries.delete(entry.requestId);
  if (registry.entries.size === 0) {
    clearInterval(registry.ticker);
    registry.ticker = undefined;
    registry.onIdle?.();
  }
}

async function idle(registry: Registry, deadlineMs: number): Promise<void> {
  if (registry.entries.size > 0) {
    await new Promise<void>((resolve) => {
      const over = setTimeout(resolve, deadlineMs);
      registry.onIdle = () => {
        clearTimeout(over);
        resolve();
      };
    });
  }
  // The last hold's settle is submitted within this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
}

type Lease = Pick<Allow__Output, 'leaseMs' | 'leaseUntilMs'>;

// A policy of the release before tells only when the lease ends, by its own clock.
function guessedLeaseMs(leftMs: number): number {
  return Math.min(Math.max(leftMs, GUESSED_LEASE_MIN_MS), LEASE_MAX_MS);
}

function extendOf(result: SessionResult__Output): ExtendReply__Output | undefined {
  return result.extend ?? undefined;
}
