import type { Check, Protocol, ServiceCall, ServiceVerdict } from '@tollgate/screening';

import type { Agents, Lease } from '../../upstream/agents';
import { startCall } from '../../upstream/call';
import { readAll } from '../../upstream/read-answer';

export interface HttpService {
  readonly agents: Pick<Agents, 'open'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  readonly url: URL;
}

/** Of one answer. */
const ANSWER_BYTES = 4 * 1024 * 1024;
/** A protocol that asks about each text on its own makes this many calls at most. */
const MOST_CALLS = 256;
/** How long sockets of a service stay open without a check. */
const IDLE_MS = 300_000;
/** For connecting, within the time of the check. */
const CONNECT_MS = 10_000;

/** Asks over HTTP. Every status but 200 is an error. */
export function createHttpAsk({ agents, headers, protocol, url }: HttpService) {
  const lease = createIdleLease(() => agents.open(url.origin, CONNECT_MS));
  const base = url.pathname.replace(/\/+$/, '');

  const call = async ({ body, path }: ServiceCall, timeoutMs: number): Promise<unknown> => {
    const { agent } = lease.take();
    try {
      const started = startCall({
        dispatcher: agent,
        origin: url.origin,
        path: path === '' ? `${url.pathname}${url.search}` : `${base}${path}${url.search}`,
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
        connectTimeoutMs: timeoutMs,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        responseLimitBytes: ANSWER_BYTES,
      });
      const answer = await started.answer;
      if (answer.status !== 200) {
        started.abort();
        throw new Error(`the service answered ${answer.status}`);
      }
      const bytes = await readAll(answer, { limitBytes: ANSWER_BYTES, takeRoom: () => undefined });
      return parsed(bytes);
    } finally {
      lease.give();
    }
  };

  return async (check: Check, timeoutMs: number): Promise<ServiceVerdict> => {
    const calls = protocol.callsOf(check);
    if (calls.length > MOST_CALLS) throw new Error(`${calls.length} texts are too many`);
    const answers = await Promise.all(calls.map((one) => call(one, timeoutMs)));
    return protocol.read(answers, check);
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // The parser's own error quotes the answer, which may have texts of the request.
    throw new Error('the answer of the service is no JSON');
  }
}

/** Sockets that are open while they are used, and for a while after. */
function createIdleLease(open: () => Lease) {
  let lease: Lease | undefined;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;
  return {
    take: (): Lease => {
      clearTimeout(idle);
      users += 1;
      lease ??= open();
      return lease;
    },
    give: (): void => {
      users -= 1;
      if (users > 0) return;
      idle = setTimeout(() => {
        lease?.release();
        lease = undefined;
      }, IDLE_MS).unref();
    },
  };
}
