import { ask, countsOf, openCallers, type Answer } from './ask';
import type { Candidate, Kill } from './candidate';
import type { CountingUpstream } from './upstream';

/** What a gateway has recorded of the requests around a `kill -9`. */
export interface KillRow {
  readonly name: string;
  readonly killed: string;
  /** Whole answers that clients got, before and after. */
  readonly answered: number;
  /** Requests that reached the provider, which bills them. */
  readonly began: number;
  readonly recorded: number;
  /** Requests of those at the provider that need not be recorded. */
  readonly mayLose: number;
  readonly answers: Readonly<Record<string, number>>;
}

export interface KillOptions {
  readonly inFlight: number;
  /** Of load before the kill. */
  readonly seconds: number;
}

/** Records are complete when their number has not changed for this long; leases end before. */
const QUIET_MS = 20_000;
const MOST_MS = 180_000;
const EVERY_MS = 500;

export async function kill(
  candidate: Candidate,
  way: Kill,
  upstream: CountingUpstream,
  { inFlight, seconds }: KillOptions,
): Promise<KillRow> {
  const before = await unchanged(way.recorded);
  upstream.reset();
  const agent = openCallers(inFlight);
  const answers: Answer[] = [];
  const over = new AbortController();
  const caller = async (): Promise<void> => {
    while (!over.signal.aborted) answers.push(await ask(agent, candidate, candidate.headers));
  };
  try {
    const callers = Array.from({ length: inFlight }, caller);
    await pause(seconds * 1_000);
    way.kill();
    over.abort();
    await Promise.all(callers);
  } finally {
    over.abort();
    await agent.destroy();
  }
  await way.restart();
  const recorded = (await unchanged(way.recorded)) - before;
  const began = upstream.began();
  return {
    name: candidate.name,
    killed: way.what,
    answered: answers.filter((answer) => answer === 200).length,
    began,
    recorded,
    mayLose: Math.ceil((began / seconds) * ((way.losesMs ?? 0) / 1_000)),
    answers: countsOf(answers),
  };
}

/** The number once it has been the same for `QUIET_MS`. */
async function unchanged(recorded: Kill['recorded']): Promise<number> {
  const startedMs = performance.now();
  let last = await recorded();
  let sinceMs = startedMs;
  for (;;) {
    const nowMs = performance.now();
    if (nowMs - sinceMs >= QUIET_MS) return last;
    if (nowMs - startedMs > MOST_MS) throw new Error('its records do not come to rest');
    await pause(EVERY_MS);
    const count = await recorded();
    if (count === last) continue;
    last = count;
    sinceMs = performance.now();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
