import type { Dispatcher } from 'undici';

import { startCall, type UpstreamAnswer } from './call';
import { readAll } from './read-answer';

// One request of the gateway itself, such as for a token or for public keys. Its answer is small and is read whole.

export interface SmallCall {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly limits: {
    readonly connectMs: number;
    /** Until the answer begins, and between its parts. */
    readonly answerMs: number;
    readonly totalMs: number;
    readonly answerBytes: number;
  };
}

/** @throws UpstreamFailure */
export async function smallCall({
  body,
  dispatcher,
  headers,
  limits,
  method,
  url,
}: SmallCall): Promise<{ answer: UpstreamAnswer; body: Buffer }> {
  const running = startCall({
    dispatcher,
    origin: url.origin,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': 'tollgate', accept: 'application/json', ...headers },
    body,
    connectTimeoutMs: limits.connectMs,
    firstByteTimeoutMs: limits.answerMs,
    idleTimeoutMs: limits.answerMs,
    totalTimeoutMs: limits.totalMs,
    responseLimitBytes: limits.answerBytes,
  });
  try {
    const answer = await running.answer;
    const read = { limitBytes: limits.answerBytes, takeRoom: () => undefined };
    return { answer, body: await readAll(answer, read) };
  } catch (error) {
    running.abort();
    throw error;
  }
}
