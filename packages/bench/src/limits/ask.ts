import { Agent, request } from 'undici';

import { REQUEST, type Candidate } from './candidate';

/** Far more than a gateway may take: what hangs is counted as `no answer`. */
const TIMEOUT_MS = 60_000;

/** The status of the whole answer, or `no answer`. */
export type Answer = number | 'no answer';

export function openCallers(connections: number): Agent {
  return new Agent({ connections, pipelining: 1, keepAliveTimeout: TIMEOUT_MS });
}

export async function ask(
  agent: Agent,
  { url, bodyOf }: Candidate,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  try {
    const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: bodyOf(REQUEST),
      dispatcher: agent,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    // An answer that breaks off is none.
    await body.arrayBuffer();
    return statusCode;
  } catch {
    return 'no answer';
  }
}

export function countsOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}
