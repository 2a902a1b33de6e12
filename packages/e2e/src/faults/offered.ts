import { Agent, request } from 'undici';

// Open-loop load: requests are sent at fixed instants, whatever the outcome of earlier ones. Unlike
// closed loops, it does not yield to a limiter.

export interface Sent {
  /** By the clock of this process, which is the machine's. */
  readonly atMs: number;
  readonly untilMs: number;
  /** 0 if the connection was lost. */
  readonly status: number;
}

export interface OfferedLoad {
  readonly urls: readonly string[];
  readonly key: string;
  readonly body: object;
  readonly count: number;
  readonly overMs: number;
}

const SOCKETS = 256;
const TICK_MS = 5;
const PATIENCE_MS = 60_000;

/**
 * Sends `count` requests evenly over the time, to each edge in turn; resolves when all are
 * answered.
 */
export async function offer(load: OfferedLoad): Promise<readonly Sent[]> {
  const agent = new Agent({ connections: SOCKETS, pipelining: 1 });
  const body = JSON.stringify(load.body);
  const send = async (n: number): Promise<Sent> => {
    const atMs = Date.now();
    try {
      const answer = await request(`${load.urls[n % load.urls.length] ?? ''}/v1/chat/completions`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Bearer ${load.key}`, 'content-type': 'application/json' },
        headersTimeout: PATIENCE_MS,
        bodyTimeout: PATIENCE_MS,
        body,
      });
      await answer.body.dump();
      return { atMs, untilMs: Date.now(), status: answer.statusCode };
    } catch {
      // The status carries the result; the caller judges a lost connection.
      return { atMs, untilMs: Date.now(), status: 0 };
    }
  };
  const sent: Promise<Sent>[] = [];
  const started = performance.now();
  while (sent.length < load.count) {
    const due = ((performance.now() - started) / load.overMs) * load.count;
    while (sent.length < Math.min(load.count, due + 1)) sent.push(send(sent.length));
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const all = await Promise.all(sent);
  await agent.destroy();
  return all;
}
