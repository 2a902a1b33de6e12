import { createRestarts, type RestartLimits } from '@tollgate/kit';

// Restarts services that end unexpectedly, reports it, and gives up on services that keep ending.
// `npm start` uses it; tests and benchmarks kill processes on purpose and do not.

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Supervised {
  readonly name: string;
  /** Resolves when the running process has ended. */
  readonly ended: () => Promise<Ended>;
  /** Whether that end was requested. */
  readonly asked: () => boolean;
  /** Restarts it; resolves when it is ready, rejects otherwise. */
  readonly restart: () => Promise<void>;
  /** The last lines of its output. */
  readonly tail: () => string;
}

export interface SupervisorDeps {
  readonly say: (line: string) => void;
  /** Called once, for the first process that is given up. */
  readonly giveUp: (name: string) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Resolves after a pause; at once when the signal aborts it. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits?: RestartLimits;
}

export interface Supervisor {
  readonly watch: (supervised: Supervised) => void;
  /** No restarts from here on. */
  readonly stop: () => void;
}

export const RESTART_LIMITS: RestartLimits = {
  firstMs: 250,
  mostMs: 8_000,
  steadyMs: 30_000,
  most: 6,
};

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { say, nowMs } = deps;
  const stopping = new AbortController();
  let givenUp = false;

  const giveUp = ({ name, tail }: Supervised, times: number): void => {
    if (givenUp) return;
    givenUp = true;
    say(`${name} has ended ${String(times)} times in a row and is not started again.`);
    if (tail().trim() !== '') say(`What it printed last:\n${tail()}`);
    deps.giveUp(name);
  };

  const follow = async (one: Supervised): Promise<void> => {
    const restarts = createRestarts(deps.limits ?? RESTART_LIMITS);
    let readyMs = nowMs();
    let ended = await one.ended();
    let times = 0;
    while (!stopping.signal.aborted && !one.asked()) {
      const endedMs = nowMs();
      const next = restarts.ended(endedMs - readyMs);
      times = next?.restart ?? times + 1;
      if (next === undefined) return giveUp(one, times);
      say(`${one.name} ${howEnded(ended)}: restart ${String(times)} in ${seconds(next.afterMs)}.`);
      await deps.pause(next.afterMs, stopping.signal);
      if (stopping.signal.aborted) return;
      const problem = await one.restart().then(
        () => undefined,
        (error: unknown) => error,
      );
      readyMs = nowMs();
      if (problem === undefined)
        say(`${one.name} is up again after ${seconds(readyMs - endedMs)}.`);
      // A process that never became ready has ended, or its starter ends it.
      ended = await one.ended();
    }
  };

  return {
    watch: (one) => {
      follow(one).catch((error: unknown) => {
        say(`${one.name} is no longer watched: ${String(error)}`);
        deps.giveUp(one.name);
      });
    },
    stop: () => stopping.abort(),
  };
}

function howEnded({ code, signal }: Ended): string {
  return signal === null ? `ended with code ${String(code)}` : `was killed by ${signal}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
