// What a request's body says, read only to count it and to choose faults; the SDK validates it.

import { objectOf, objectsOf, textOf } from '../json';

export interface McpMessage {
  /** `response` for a client's answer to a request of the server. */
  method: string;
  /** The tool or prompt, or a resource's URI; empty for other methods. */
  name: string;
}

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The messages of a body: one, or those of a batch. */
export function messagesOf(body: unknown): McpMessage[] {
  const one = objectOf(body);
  return (one === undefined ? objectsOf(body) : [one]).map((message) => {
    const params = objectOf(message['params']) ?? {};
    return {
      method: textOf(message['method']) || 'response',
      name: textOf(params['name']) || textOf(params['uri']),
    };
  });
}
