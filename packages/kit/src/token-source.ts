// Keeps one token, and renews it once for all callers.

export interface IssuedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

export interface TokenSource {
  /** Rejects as the request for a token does. */
  get: () => Promise<string>;
  /** The server refused this token. True: a newer one can be had. */
  refused: (token: string) => boolean;
  /** The tokens that may still be in use. */
  known: () => readonly string[];
}

export interface TokenSourceDeps {
  request: () => Promise<IssuedToken>;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** A token is renewed this long before it expires, or after four fifths of a short lifetime. */
const MARGIN_MS = 60_000;
/** A server that refuses every token must not cause a request for a new one with each call. */
const REFUSED_PAUSE_MS = 30_000;
/** How long a failure is the answer to further callers. */
const FAILED_PAUSE_MS = 1_000;

export function createTokenSource({ request, nowMs }: TokenSourceDeps): TokenSource {
  let current: { token: string; renewAtMs: number } | undefined;
  let previous: string | undefined;
  let failure: { error: unknown; untilMs: number } | undefined;
  let running: Promise<string> | undefined;
  let refusedMs = Number.NEGATIVE_INFINITY;

  const get: TokenSource['get'] = async () => {
    if (current && nowMs() < current.renewAtMs) return current.token;
    if (failure && nowMs() < failure.untilMs) throw failure.error;
    running ??= renew().finally(() => {
      running = undefined;
    });
    return running;
  };

  const renew = async (): Promise<string> => {
    try {
      const startedMs = nowMs();
      const { token, lifetimeMs } = await request();
      const margin = Math.min(MARGIN_MS, lifetimeMs / 5);
      if (current && current.token !== token) previous = current.token;
      // The lifetime counts from when the server issued it, which is after the request began.
      current = { token, renewAtMs: startedMs + lifetimeMs - margin };
      failure = undefined;
      return token;
    } catch (error) {
      failure = { error, untilMs: nowMs() + FAILED_PAUSE_MS };
      throw error;
    }
  };

  const refused: TokenSource['refused'] = (token) => {
    // Another caller was refused first, or it expired meanwhile.
    if (current?.token !== token || nowMs() >= current.renewAtMs) return true;
    if (nowMs() - refusedMs < REFUSED_PAUSE_MS) return false;
    refusedMs = nowMs();
    current = { token, renewAtMs: Number.NEGATIVE_INFINITY };
    return true;
  };

  const known: TokenSource['known'] = () =>
    [current?.token, previous].filter((text) => text !== undefined);

  return { get, refused, known };
}
