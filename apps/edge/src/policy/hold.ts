import type { ItemSession } from './item';

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
  /** Of the candidate whose output tokens they are. Absent or empty: standard processing. */
  serviceTier?: string;
}

/** A background response, and what its settle will say of what is stored. */
export interface PendingResponse {
  responseId: string;
  conversationId: string;
  addedTokens: number;
  readTokens: number;
  assumedTokens: number;
  /** What earlier attempts cost, decimal; empty: nothing. */
  earlierNanoUsd: string;
}

/** What a cancelled request had added to its conversation when it was allowed: fields of its settle. */
export interface Grown {
  /** Empty: none. */
  conversationId: string;
  assumedTokens: number;
}

/** The hold of one request, for as long as the request runs. */
export interface Hold {
  readonly requestId: string;
  readonly shard: number;
  /** Everything a settle needs. Each extension replaces it. */
  token: () => Buffer;
  /** The session that decided the hold from a float; undefined: every policy knows the hold. */
  session: () => ItemSession | undefined;
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
