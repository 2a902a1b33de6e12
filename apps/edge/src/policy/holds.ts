import { shardOf } from '@tollgate/contracts';
import type { Allow__Output, ExtendRequest } from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { createAdoptions, type Adoptions } from './adoptions';
import { processOf } from './float-watch';
import type { ExtendOutcome, Hold, HoldStep, PendingResponse } from './hold';
import { guessedLeaseMs, isAdrift, storeHasIt, type Entry } from './hold-entry';
import type { Answer, Ask, ItemSession } from './item';

export interface HoldRegistry {
  open: (requestId: string, allow: Allow__Output, session: ItemSession) => Hold;
  /** Redis lost data, so all holds of these shards are taken again. */
  reopened: (shards: readonly number[]) => void;
  /** Has other sessions adopt the holds that only this one knew; returns their number. */
  closed: (session: ItemSession) => number;
  /** Policy can no longer report these floats, so other sessions adopt their holds. */
  adoptFloats: (floatIds: readonly string[]) => number;
  inFlight: () => number;
  /** Resolves when no request is running, or after `deadlineMs`. */
  idle: (deadlineMs: number) => Promise<void>;
  stop: () => void;
}

export interface HoldRegistryDeps {
  ask: Ask;
  deadlineMs: number;
  nowMs: () => number;
  /** Wall clock, in which lease ends are stated. */
  wallMs: () => number;
}

/** An extension under way. */
interface Asked {
  /** Its number among those of the hold. */
  readonly at: number;
  /** What it tells policy. */
  response: PendingResponse | undefined;
}

const UNKNOWN: ExtendOutcome = { granted: false, refused: false };
const NO_INCREASE: HoldStep = { outputTokens: 0 };
const TICK_MS = 500;
/** Two adoptions, one after the other, end before the float can be given to others. */
const ADOPTION_DEADLINE_MS = 250;

interface Registry extends Omit<HoldRegistryDeps, 'ask'> {
  readonly askPolicy: HoldRegistryDeps['ask'];
  readonly entries: TransientMap<string, Entry>;
  readonly adoptions: Adoptions<Entry>;
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
    adoptions: createAdoptions({
      needed: (entry) => isAdrift(entry),
      adopt: (entry) => adopt(registry, entry),
    }),
    ticker: undefined,
    onIdle: undefined,
  };
  return {
    open: (requestId, allow, session) => open(registry, requestId, allow, session),
    reopened: (shards) => reopened(registry, shards),
    closed: (session) => adoptAll(registry, (entry) => entry.session === session),
    adoptFloats: (floatIds) => {
      const lost = new Set(floatIds);
      return adoptAll(registry, ({ floatId }) => floatId !== '' && lost.has(floatId));
    },
    inFlight: () => registry.entries.size,
    idle: (deadlineMs) => idle(registry, deadlineMs),
    stop: () => {
      clearInterval(registry.ticker);
      registry.adoptions.stop();
    },
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

function open(
  registry: Registry,
  requestId: string,
  allow: Allow__Output,
  session: ItemSession,
): Hold {
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
    floatId: allow.floatId,
    session: allow.floatId === '' ? undefined : session,
    response: undefined,
    responseKnown: false,
    asked: 0,
    granted: 0,
    reopenedAt: 0,
    chain: undefined,
  };
  registry.entries.set(requestId, entry);
  registry.ticker ??= setInterval(tick, TICK_MS, registry);
  return {
    requestId,
    shard: entry.shard,
    token: () => entry.token,
    session: () => entry.session,
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
  deadlineMs = registry.deadlineMs,
): Promise<ExtendOutcome> {
  if (entry.ended) return Promise.resolve(UNKNOWN);
  const message: ExtendRequest = {
    requestId: entry.requestId,
    holdToken: entry.token,
    modelId,
    addOutputTokens: outputTokens,
    adopt: entry.lost,
  };
  const { response } = entry;
  const asked: Asked = { at: (entry.asked += 1), response: undefined };
  if (response && (!entry.responseKnown || entry.lost)) tellResponse(message, asked, response);
  if (inputTokens !== undefined) message.addInputTokens = inputTokens;
  if (nanoUsd !== undefined) message.addNanoUsd = nanoUsd;
  return new Promise((resolve) => {
    registry.askPolicy({ kind: 'extend', message }, deadlineMs, {
      answered: (answer) => resolve(outcome(registry, entry, asked, answer)),
      late: (reply) => {
        outcome(registry, entry, asked, { ok: true, ...reply });
      },
      via: entry.session,
      // Another policy makes it a hold in Redis, even if it refuses the step. The memory that decided the
      // request must not extend it afterwards.
      strayed: () => {
        entry.lost = true;
        entry.session = undefined;
        message.adopt = true;
        if (entry.response) tellResponse(message, asked, entry.response);
        // After this turn, so that it waits for this extension.
        queueMicrotask(() => registry.adoptions.add([entry]));
      },
      // Whoever decided the hold is away, or has lost the store.
      avoid: isAdrift(entry) ? processOf(entry.floatId) : undefined,
    });
  });
}

function tellResponse(message: ExtendRequest, asked: Asked, response: PendingResponse): void {
  Object.assign(message, response);
  asked.response = response;
}

function outcome(registry: Registry, entry: Entry, asked: Asked, answer: Answer): ExtendOutcome {
  const reply = answer.ok ? answer.result.extend : undefined;
  if (!answer.ok || !reply) return UNKNOWN;
  // From before a loss of data: what it says of the store may no longer be true.
  const isStale = asked.at <= entry.reopenedAt;
  // A late answer: a later extension has replaced its token.
  if (asked.at < entry.granted) return UNKNOWN;
  if (reply.granted) {
    entry.granted = asked.at;
    if (reply.holdToken.length > 0) entry.token = reply.holdToken;
    if (isStale) return { granted: true };
    entry.renewAtMs = renewal(registry, { ...entry, leaseUntilMs: reply.leaseUntilMs });
    if (reply.floatId === '') storeHasIt(entry);
    if (asked.response !== undefined) entry.responseKnown ||= asked.response === entry.response;
    return { granted: true };
  }
  if (!isStale) entry.gone = reply.gone;
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

// Every session of every policy tells of it. The hold is taken again once after the last of them that finds an
// extension under way.
function takeAgain(registry: Registry, entry: Entry): void {
  entry.renewAtMs = registry.nowMs() + 2 * TICK_MS;
  void inTurn(entry, async () => {
    if (entry.lost) await ask(registry, entry, entry.modelId, NO_INCREASE);
  });
}

function adoptAll(registry: Registry, concerns: (entry: Entry) => boolean): number {
  const adrift: Entry[] = [];
  for (const entry of registry.entries.values()) {
    if (!concerns(entry)) continue;
    entry.session = undefined;
    entry.lost = true;
    adrift.push(entry);
  }
  // The newest first: the store knows nothing of them, while it finds the others in the float's journal.
  registry.adoptions.add(adrift.toReversed());
  return adrift.length;
}

// An extension that was under way may have been granted elsewhere in the meantime.
async function adopt(registry: Registry, entry: Entry): Promise<boolean> {
  const deadlineMs = Math.min(registry.deadlineMs, ADOPTION_DEADLINE_MS);
  await inTurn(entry, async () => {
    if (isAdrift(entry)) await ask(registry, entry, entry.modelId, NO_INCREASE, deadlineMs);
  });
  return !isAdrift(entry);
}

function reopened(registry: Registry, shards: readonly number[]): void {
  if (shards.length === 0) return;
  const opened = new Set(shards);
  for (const entry of registry.entries.values()) {
    if (!opened.has(entry.shard)) continue;
    Object.assign(entry, { gone: false, lost: true, session: undefined, responseKnown: false });
    entry.reopenedAt = entry.asked;
    takeAgain(registry, entry);
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
