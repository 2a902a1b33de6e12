import { createBoundedCache, type Clock } from '@tollgate/kit';

/**
 * Slows down guessing: failed sign-ins are counted per address and account together, per account
 * and per address, in spans of fifteen minutes. Kept in memory, so each replica counts for itself;
 * bounded, so a flood of names pushes out the oldest.
 */

const SPAN_MS = 15 * 60_000;
const REMEMBERED = 50_000;

const ALLOWED = { pair: 10, account: 50, address: 100 } as const;

type Failures = { since: number; count: number };

export type Throttle = {
  /** How long this caller has to wait; 0: not at all. */
  waitMs(email: string, address: string): number;
  failed(email: string, address: string): void;
  succeeded(email: string, address: string): void;
};

export function createThrottle(clock: Clock): Throttle {
  const counts = createBoundedCache<string, Failures>({ max: REMEMBERED });

  function keys(email: string, address: string): [key: string, allowed: number][] {
    return [
      [`pair ${address} ${email}`, ALLOWED.pair],
      [`account ${email}`, ALLOWED.account],
      [`address ${address}`, ALLOWED.address],
    ];
  }

  function current(key: string): Failures | undefined {
    const failures = counts.get(key);
    return failures !== undefined && clock.now() < failures.since + SPAN_MS ? failures : undefined;
  }

  return {
    waitMs(email, address) {
      const waits = keys(email, address).map(([key, allowed]) => {
        const failures = current(key);
        if (failures === undefined || failures.count < allowed) return 0;
        return failures.since + SPAN_MS - clock.now();
      });
      return Math.max(...waits);
    },
    failed(email, address) {
      for (const [key] of keys(email, address)) {
        const failures = current(key) ?? { since: clock.now(), count: 0 };
        counts.set(key, { since: failures.since, count: failures.count + 1 });
      }
    },
    succeeded(email, address) {
      counts.delete(`pair ${address} ${email}`);
    },
  };
}
