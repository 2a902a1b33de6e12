// Keeps one credential of limited lifetime for all its users, and renews it before it expires. While a valid one
// exists, nobody waits.

import { UpstreamFailure } from '../failure';
import { noCredential } from './ask-issuer';

export interface Issued<T> {
  readonly credential: T;
  readonly lifetimeMs: number;
}

export interface Renewed<T> {
  /** The credential, or a promise while there is none. Rejects with what the request for it failed with. */
  get: () => T | Promise<T>;
  /**
   * The upstream refused a call that began at this instant. True: there is another credential than there was then. The
   * present one stays until there is: one caller's refusal may be about its own resource.
   */
  refused: (beganMs: number) => Promise<boolean>;
  /** What it was obtained with has changed, so it is renewed in the background. */
  outdated: () => void;
  /** Those that may still be in use. */
  known: () => readonly T[];
}

export interface RenewedDeps<T> {
  request: () => Promise<Issued<T>>;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** Renewed this long before it expires, or after three quarters of a short lifetime. */
const RENEWED_BEFORE_MS = 300_000;
/** Not used for the last of its lifetime, so that it is valid when the upstream reads it. */
const UNUSED_MS = 10_000;
/** How long a failure is the answer to further callers, and the pause before a renewal is tried again. */
const FAILED_PAUSE_MS = 1_000;
const RENEWAL_PAUSE_MS = 10_000;
/** An upstream that refuses every credential must not cause a request for a new one with each call. */
const REFUSED_PAUSE_MS = 30_000;

const LEAST_LIFETIME_MS = 1_000;

interface Current<T> {
  readonly credential: T;
  readonly sinceMs: number;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

export function createRenewed<T>({ request, nowMs }: RenewedDeps<T>): Renewed<T> {
  let current: Current<T> | undefined;
  let previous: T | undefined;
  let failure: { error: unknown; untilMs: number } | undefined;
  let running: Promise<T> | undefined;
  let renewalPausedMs = Number.NEGATIVE_INFINITY;
  let refusedMs = Number.NEGATIVE_INFINITY;

  const get: Renewed<T>['get'] = () => {
    const now = nowMs();
    if (current && now < current.endsAtMs) {
      if (now >= current.renewAtMs && now >= renewalPausedMs) renewInBackground();
      return current.credential;
    }
    if (failure && now < failure.untilMs) return Promise.reject(failure.error);
    return renew();
  };

  const renewInBackground = (): void => {
    renewalPausedMs = nowMs() + RENEWAL_PAUSE_MS;
    // The present credential is still valid. When it has expired, callers get the error.
    renew().catch(() => undefined);
  };

  const renew = (): Promise<T> => {
    running ??= obtain().finally(() => {
      running = undefined;
    });
    return running;
  };

  const obtain = async (): Promise<T> => {
    try {
      const startedMs = nowMs();
      const { credential, lifetimeMs } = await request();
      // The clock of the gateway may be ahead.
      if (lifetimeMs < LEAST_LIFETIME_MS)
        throw noCredential('its credentials have already expired');
      previous = current?.credential;
      // The lifetime counts from when it was issued, which is after the request began.
      current = {
        credential,
        sinceMs: nowMs(),
        renewAtMs: startedMs + lifetimeMs - Math.min(RENEWED_BEFORE_MS, lifetimeMs / 4),
        endsAtMs: startedMs + lifetimeMs - Math.min(UNUSED_MS, lifetimeMs / 8),
      };
      failure = undefined;
      return credential;
    } catch (error) {
      failure = { error, untilMs: nowMs() + pauseAfter(error) };
      throw error;
    }
  };

  const refused: Renewed<T>['refused'] = async (beganMs) => {
    // Another caller was refused first, or it was renewed or has expired meanwhile.
    if (!current || nowMs() >= current.endsAtMs || current.sinceMs > beganMs) return true;
    if (!running && nowMs() - refusedMs < REFUSED_PAUSE_MS) return false;
    if (!running) refusedMs = nowMs();
    return renew().then(
      () => true,
      () => false,
    );
  };

  const outdated: Renewed<T>['outdated'] = () => {
    if (!current) return;
    current = { ...current, renewAtMs: Number.NEGATIVE_INFINITY };
    if (nowMs() >= renewalPausedMs) renewInBackground();
  };

  const known: Renewed<T>['known'] = () =>
    [current?.credential, previous].filter((one) => one !== undefined);

  return { get, refused, outdated, known };
}

/** A token endpoint may ask for a longer pause. */
function pauseAfter(error: unknown): number {
  const asked = error instanceof UpstreamFailure ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(Math.max(asked, FAILED_PAUSE_MS), REFUSED_PAUSE_MS);
}
