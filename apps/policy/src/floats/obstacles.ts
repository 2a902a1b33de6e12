import type { AuthorizeCounter } from '../store';
import { freeOf, isWindowed, type FloatCounter } from './counter';
import type { ExactReason, Now, Rules } from './decision';
import type { ShardMemory } from './memory';
import type { FloatParameters } from './parameters';

// When a decision from memory is not allowed.

/** Why nothing may be decided from the float now. */
export function obstacleIn(
  m: ShardMemory,
  { parameters, ledgerMax }: Rules,
  { nowMs }: Now,
): ExactReason | undefined {
  const { decideMarginMs, unpostedMaxMs } = parameters;
  const [oldest] = m.unjournaled.values();
  const unpostedSinceMs = oldest?.unpostedSinceMs ?? nowMs;
  const sentAtMs = m.underWay?.firstSentAtMs ?? nowMs;
  if (m.draining || m.underWay?.item.last === true || nowMs >= m.validUntilMs) return 'lease';
  if (nowMs + decideMarginMs > m.validUntilMs) return 'lease'; // guard: margin
  if (nowMs - unpostedSinceMs >= unpostedMaxMs) return 'unposted'; // guard: unposted
  if (nowMs - sentAtMs >= unpostedMaxMs) return 'unposted'; // guard: unanswered
  if (m.undrained >= ledgerMax / 2) return 'ledger'; // guard: half full
  if (m.full) return 'no_memory'; // guard: no memory
  return undefined;
}

/** Why a request with these counters may not be decided from it. */
export function misfitOf(
  counters: readonly FloatCounter[],
  asks: readonly AuthorizeCounter[],
  { parameters }: Rules,
  { nowMs, redisMs = 0 }: Now,
): ExactReason | undefined {
  for (const [i, c] of counters.entries()) {
    const latestMs = c.windowEndMs - parameters.clockMarginMs;
    if (c.void) return 'window'; // guard: void
    if (c.outdated) return 'window'; // guard: outdated
    if (isWindowed(c) && redisMs < c.windowStartMs) return 'window';
    if (isWindowed(c) && redisMs >= latestMs) return 'window'; // guard: window end
    const ask = asks[i];
    if (ask === undefined || !hasRoom(c, ask, parameters, nowMs)) return 'lent';
  }
  return undefined;
}

function hasRoom(
  c: FloatCounter,
  { amount, limit }: AuthorizeCounter,
  { postPaidAgeMs }: FloatParameters,
  nowMs: number,
): boolean {
  const holds = c.kind !== 'POST_PAID' && amount > 0n;
  if (holds) return c.has && freeOf(c) >= amount;
  if (nowMs - c.answeredAtMs >= postPaidAgeMs) return false; // guard: post-paid age
  if (c.settledSinceMs <= c.closedAtMs) return false; // guard: post-paid close
  return c.settled !== null && c.settled * 10n < limit * 9n;
}
