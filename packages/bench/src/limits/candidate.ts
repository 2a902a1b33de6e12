/** A gateway whose limits are tested, ours or another. */
export interface Candidate {
  readonly name: string;
  readonly url: string;
  readonly bodyOf: (body: string) => string;
  /** Headers of a key whose budget affords `BURST.affordable` requests; undefined: not tested. */
  readonly budgetHeaders: Readonly<Record<string, string>> | undefined;
  /** Headers of a key without such a budget. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ways to kill it; empty: not tested. */
  readonly kills: readonly Kill[];
}

export interface Kill {
  /** Which processes, for the report. */
  readonly what: string;
  /** The work of how many milliseconds may be in no record afterwards. */
  readonly losesMs?: number;
  /** Sends SIGKILL. */
  readonly kill: () => void;
  /** Resolves when it serves again. */
  readonly restart: () => Promise<void>;
  /** Requests that it has recorded so far. */
  readonly recorded: () => Promise<number>;
}

/**
 * A request of the burst costs exactly a twentieth of the budget, held as well as used: the input
 * costs nothing, and the answer has as many tokens as it may have.
 */
export const BURST = {
  budgetUsd: '0.25',
  affordable: 20,
  asked: 200,
  maxTokens: 1_000,
  /** US dollars for a million output tokens. */
  outputPrice: '12.50',
} as const;

export const UPSTREAM_DELAY_MS = 300;

export const REQUEST = JSON.stringify({
  model: 'small',
  max_tokens: BURST.maxTokens,
  messages: [{ role: 'user', content: 'Is this within the limit?' }],
});
