import { setTimeout as pause } from 'node:timers/promises';

import { chat } from '../gateway/tenant';

export interface Load {
  /** Of the edge. */
  readonly url: string;
  readonly key: string;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Sent {
  readonly sent: number;
  /** With status 200. */
  readonly answered: number;
  readonly perSecond: number;
}

const TICK_MS = 50;

/** Sends short chats in an open loop: a slow answer does not delay the next request. */
export async function sendAtRate({ url, key, rate, seconds }: Load): Promise<Sent> {
  const begin = performance.now();
  const running = new Set<Promise<void>>();
  let sent = 0;
  let answered = 0;
  const send = async (): Promise<void> => {
    const { status } = await chat(url, key);
    if (status === 200) answered += 1;
  };
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begin) / 1_000) {
    const due = Math.min(Math.floor(elapsed * rate) + 1, rate * seconds);
    for (; sent < due; sent += 1) {
      const one: Promise<void> = send()
        // A request that gets no answer is one that was not answered.
        .catch(() => undefined)
        .finally(() => running.delete(one));
      running.add(one);
    }
    await pause(TICK_MS);
  }
  const perSecond = sent / ((performance.now() - begin) / 1_000);
  await Promise.all(running);
  return { sent, answered, perSecond };
}
