import type {
  Allow__Output,
  ExtendReply__Output,
  ExtendRequest,
  SessionResult__Output,
} from '@tollgate/contracts/node';
import { LEASE_MAX_MS, shardOf } from '@tollgate/contracts';
import { TransientMap } from '@tollgate/kit';
import type { Answer, Item, Payload } from './item';

export type ExtendOutcome =
  | { granted: true }
  /** A limit does not allow more. */
  | { granted: false; refused: true }
  /** Policy could not be asked, or the hold has ended already. */
  | { granted: false; refused: false };

/** What an extension adds. */
export type HoldStep = {
  outputTokens: number;
  /** For a further attempt, which takes the whole request once more. */
  inputTokens?: number;
  /** What that is taken to cost, decimal; absent: what the output tokens come to. */
  nanoUsd?: string;
};

/** What was taken for one request, for as long as the request runs. */
export type Hold = {
  readonly requestId: string;
  readonly shard: number;
  /** All that a settle needs. Replaced by every extension. */
  token: () => Buffer;
  /** Adds to what is held for one candidate. One at a time; never throws. */
  extend: (modelId: string, add: HoldStep) => Promise<ExtendOutcome>;
  /**
   * The provider goes on with an answer in the background: policy is told its id, now or with one of the
   * next renewals, so that requests about it find this hold.
   */
  continueInBackground: (modelId: string, responseId: string) => Promise<ExtendOutcome>;
  /**
   * The request is over. Where an extension is under way, whose token the settle needs, it is when the
   * promise resolves.
   */
  end: () => Promise<void> | undefined;
};

export type HoldRegistry = {
  open: (requestId: string, allow: Allow__Output) => Hold;
  /** Redis lost data: every hold in flight there is taken again. */
  reopened: (shards: readonly number[]) => void;
  inFlight: () => number;
  /** Resolves when no request runs any more, or after `deadlineMs`. */
  idle: (deadlineMs: number) => Promise<void>;
  stop: () => void;
};

export type HoldRegistryDeps = {
  ask: (payload: Payload, deadlineMs: number, callbacks: Pick<Item, 'answered' | 'late'>) => void;
  deadlineMs: number;
  nowMs: () => number;
  /** Wall clock, which lease ends are told in. */
  wallMs: () => number;
};

type Entry = {
  requestId: string;
  shard: number;
  modelId: string;
  token: Buffer;
  /** As policy told it with the hold; 0: it did not. */
  leaseMs: number;
  renewAtMs: number;
  ended: boolean;
  /** The hold is no longer policy's: its lease was over. Renewing it is of no use. */
  gone: boolean;
  /** Redis lost the hold: it is to be taken again with the next extension. */
  lost: boolean;
  /** Of an answer that its provider goes on with; empty: there is none. */
  responseId: string;
  /** Policy knows of that answer. */
  responseIdKnown: boolean;
  chain: Promise<void> | undefined;
};

const NO_INCREASE: HoldStep = { outputTokens: 0 };
const TICK_MS = 500;
/** Where policy does not say how long a lease is, its end is bounded: clocks of two machines differ. */
const GUESSED_LEASE_MIN_MS = 3_000;

// The holds of running requests. A lease is moved when a third of it is gone, so that two tries may
// fail before it is over.
export function createHoldRegistry(deps: HoldRegistryDeps): HoldRegistry {
  const entries = new TransientMap<string, Entry>();
  let ticker: NodeJS.Timeout | undefined;
  let onIdle: (() => void) | undefined;

  const open = (requestId: string, allow: Allow__Output): Hold => {
    const entry: Entry = {
      requestId,
      shard: shardOf(allow.subject?.organisationId ?? ''),
      modelId: allow.candidates[0]?.modelId ?? '',
      token: allow.holdToken,
      leaseMs: allow.leaseMs,
      renewAtMs: renewal(allow),
      ended: false,
      gone: false,
      lost: false,
      responseId: '',
      responseIdKnown: false,
      chain: undefined,
    };
    entries.set(requestId, entry);
    ticker ??= setInterval(tick, TICK_MS);
    return {
      requestId,
      shard: entry.shard,
      token: () => entry.token,
      extend: (modelId, add) => {
        entry.modelId = modelId;
        return inTurn(entry, () => ask(entry, modelId, add));
      },
      continueInBackground: (modelId, responseId) => {
        Object.assign(entry, { modelId, responseId, responseIdKnown: false });
        return inTurn(entry, () => ask(entry, modelId, NO_INCREASE));
      },
      end: () => end(entry),
    };
  };

  const renewal = ({ leaseMs, leaseUntilMs }: Lease): number =>
    deps.nowMs() + (leaseMs || guessedLeaseMs(leaseUntilMs - deps.wallMs())) / 3;

  // Each extension answers with a new token, which the next one must carry.
  const inTurn = <T>(entry: Entry, act: () => Promise<T>): Promise<T> => {
    const result = entry.chain ? entry.chain.then(act) : act();
    const chain = result.then(() => {
      if (entry.chain === chain) entry.chain = undefined;
    });
    entry.chain = chain;
    return result;
  };

  const ask = (
    entry: Entry,
    modelId: string,
    { outputTokens, inputTokens, nanoUsd }: HoldStep,
  ): Promise<ExtendOutcome> => {
    if (entry.ended) return Promise.resolve({ granted: false, refused: false });
    const message: ExtendRequest = {
      requestId: entry.requestId,
      holdToken: entry.token,
      modelId,
      addOutputTokens: outputTokens,
      adopt: entry.lost,
    };
    const { responseId } = entry;
    if (responseId !== '' && (!entry.responseIdKnown || entry.lost))
      message.responseId = responseId;
    if (inputTokens !== undefined) message.addInputTokens = inputTokens;
    if (nanoUsd !== undefined) message.addNanoUsd = nanoUsd;
    return new Promise((resolve) => {
      deps.ask({ kind: 'extend', message }, deps.deadlineMs, {
        answered: (answer) => resolve(outcome(entry, answer)),
        late: (result) => {
          outcome(entry, { ok: true, result });
        },
      });
    });
  };

  const outcome = (entry: Entry, answer: Answer): ExtendOutcome => {
    const reply = answer.ok ? extendOf(answer.result) : undefined;
    if (!reply) return { granted: false, refused: false };
    if (reply.granted) {
      if (reply.holdToken.length > 0) entry.token = reply.holdToken;
      entry.renewAtMs = renewal({ ...entry, leaseUntilMs: reply.leaseUntilMs });
      entry.lost = false;
      entry.responseIdKnown = entry.responseId !== '';
      return { granted: true };
    }
    entry.gone = reply.gone;
    return { granted: false, refused: !reply.gone };
  };

  const tick = (): void => {
    const now = deps.nowMs();
    for (const entry of entries.values()) {
      if (!entry.gone && entry.renewAtMs <= now && !entry.chain) renew(entry);
    }
  };

  const renew = (entry: Entry): void => {
    // Moved on by the answer; until then the next try is due with one of the next ticks.
    entry.renewAtMs = deps.nowMs() + 2 * TICK_MS;
    void inTurn(entry, () => ask(entry, entry.modelId, NO_INCREASE));
  };

  const reopened = (shards: readonly number[]): void => {
    if (shards.length === 0) return;
    const opened = new Set(shards);
    for (const entry of entries.values()) {
      if (!opened.has(entry.shard)) continue;
      entry.gone = false;
      entry.lost = true;
      renew(entry);
    }
  };

  const end = (entry: Entry): Promise<void> | undefined => {
    if (entry.chain) return entry.chain.then(() => close(entry));
    close(entry);
    return undefined;
  };

  const close = (entry: Entry): void => {
    entry.ended = true;
    entries.delete(entry.requestId);
    if (entries.size === 0) {
      clearInterval(ticker);
      ticker = undefined;
      onIdle?.();
    }
  };

  const idle = async (deadlineMs: number): Promise<void> => {
    if (entries.size > 0) {
      await new Promise<void>((resolve) => {
        const over = setTimeout(resolve, deadlineMs);
        onIdle = () => {
          clearTimeout(over);
          resolve();
        };
      });
    }
    // Whoever ended the last hold hands its settle over within this turn.
    await new Promise((resolve) => setImmediate(resolve));
  };

  return {
    open,
    reopened,
    inFlight: () => entries.size,
    idle,
    stop: () => clearInterval(ticker),
  };
}

type Lease = Pick<Allow__Output, 'leaseMs' | 'leaseUntilMs'>;

// A policy of the release before tells only when the lease ends, by its own clock.
function guessedLeaseMs(leftMs: number): number {
  return Math.min(Math.max(leftMs, GUESSED_LEASE_MIN_MS), LEASE_MAX_MS);
}

function extendOf(result: SessionResult__Output): ExtendReply__Output | undefined {
  return result.extend ?? undefined;
}
