import { shardOf } from '@tollgate/contracts';
import type { Allow__Output, ExtendRequest } from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { createAdoptions, type Adoptions } from './adoptions';
import { processOf } from './float-watch';
import type { ExtendOutcome, Hold, HoldStep } from './hold';
import {
  guessedLeaseMs,
  isAdrift,
  takeAnswer,
  tellResponse,
  UNKNOWN,
  type HoldEntry,
  type Lease,
  type SentExtension,
} from './hold-entry';
import type { Answer, Ask, ItemSession } from './item';
import type { Reopened } from './settles';

export interface HoldRegistry {
  open: (requestId: string, allow: Allow__Output, session: ItemSession) => Hold;
  /** Redis lost data, so all holds of these shards are taken again. */
  reopened: (news: readonly Reopened[], by: ItemSession) => void;
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

const NO_INCREASE: HoldStep = { outputTokens: 0 };
const TICK_MS = 500;
/** Two adoptions, one after the other, end before the float can be given to others. */
const ADOPTION_DEADLINE_MS = 250;

interface Registry extends Omit<HoldRegistryDeps, 'ask'> {
  readonly askPolicy: HoldRegistryDeps['ask'];
  readonly entries: TransientMap<string, HoldEntry>;
  readonly adoptions: Adoptions<HoldEntry>;
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
    reopened: (news, by) => reopened(registry, news, by),
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
function inTurn<T>(entry: HoldEntry, act: () => Promise<T>): Promise<T> {
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
  const entry: HoldEntry = {
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
    lastSent: 0,
    lastGranted: 0,
    lastBeforeLoss: 0,
    epoch: 0,
    takenBy: undefined,
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
  entry: HoldEntry,
  modelId: string,
  { outputTokens, inputTokens, nanoUsd, serviceTier }: HoldStep,
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
  const sent: SentExtension = { number: (entry.lastSent += 1), response: undefined };
  if (response && (!entry.responseKnown || entry.lost)) tellResponse(message, sent, response);
  if (inputTokens !== undefined) message.addInputTokens = inputTokens;
  if (nanoUsd !== undefined) message.addNanoUsd = nanoUsd;
  if (serviceTier !== undefined && serviceTier !== '') message.serviceTier = serviceTier;
  const take = (answer: Answer): ExtendOutcome =>
    takeAnswer(entry, sent, answer, (lease) => renewal(registry, lease));
  return new Promise((resolve) => {
    registry.askPolicy({ kind: 'extend', message }, deadlineMs, {
      answered: (answer) => resolve(take(answer)),
      late: (reply) => {
        take({ ok: true, ...reply });
      },
      via: entry.session,
      // Another policy makes it a hold in Redis, even if it refuses the step. The memory that decided the
      // request must not extend it afterwards.
      strayed: () => {
        // The store has it, as a later extension has told.
        if (entry.floatId === '') return undefined;
        entry.lost = true;
        entry.session = undefined;
        message.adopt = true;
        if (entry.response) tellResponse(message, sent, entry.response);
        // Later, when `chain` is this extension: the adoption waits for it.
        queueMicrotask(() => registry.adoptions.add([entry]));
        return processOf(entry.floatId);
      },
      avoid: isAdrift(entry) ? processOf(entry.floatId) : undefined,
    });
  });
}

function tick(registry: Registry): void {
  const now = registry.nowMs();
  for (const entry of registry.entries.values()) {
    if (!entry.gone && entry.renewAtMs <= now && !entry.chain) renew(registry, entry);
  }
}

function renew(registry: Registry, entry: HoldEntry): void {
  // The answer sets the next renewal; until then it is retried on one of the next ticks.
  entry.renewAtMs = registry.nowMs() + 2 * TICK_MS;
  void inTurn(entry, () => ask(registry, entry, entry.modelId, NO_INCREASE));
}

function adoptAll(registry: Registry, concerns: (entry: HoldEntry) => boolean): number {
  const adrift: HoldEntry[] = [];
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
async function adopt(registry: Registry, entry: HoldEntry): Promise<boolean> {
  const deadlineMs = Math.min(registry.deadlineMs, ADOPTION_DEADLINE_MS);
  await inTurn(entry, async () => {
    if (isAdrift(entry)) await ask(registry, entry, entry.modelId, NO_INCREASE, deadlineMs);
  });
  return !isAdrift(entry);
}

// Policies hear of a loss one after the other. News of the same epoch still concerns holds that were opened since, and
// holds that its own policy took again, perhaps in what Redis was before. Epoch 0: of an earlier release.
function reopened(registry: Registry, news: readonly Reopened[], by: ItemSession): void {
  if (news.length === 0) return;
  const epochs = new Map(news.map(({ shard, epoch }) => [shard, epoch]));
  for (const entry of registry.entries.values()) {
    const epoch = epochs.get(entry.shard);
    if (epoch === undefined) continue;
    if (epoch !== 0 && epoch <= entry.epoch && entry.takenBy !== by) continue;
    Object.assign(entry, { gone: false, lost: true, session: undefined, responseKnown: false });
    Object.assign(entry, { epoch, lastBeforeLoss: entry.lastSent });
    renew(registry, entry);
  }
}

function end(registry: Registry, entry: HoldEntry): Promise<void> | undefined {
  if (entry.chain) return entry.chain.then(() => close(registry, entry));
  close(registry, entry);
  return undefined;
}

function close(registry: Registry, entry: HoldEntry): void {
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
