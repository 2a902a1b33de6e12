import type { McpMessage } from './read-message';

/** What kind of request it was, for metrics: there are few kinds, whatever methods clients invent. */
export type MethodClass =
  | 'call'
  | 'list'
  | 'handshake'
  | 'other'
  | 'notification'
  | 'response'
  | 'stream'
  | 'end'
  | 'unknown';

const CLASSES: Readonly<Record<string, MethodClass>> = {
  'tools/call': 'call',
  'prompts/get': 'call',
  'resources/read': 'call',
  'tools/list': 'list',
  'prompts/list': 'list',
  'resources/list': 'list',
  'resources/templates/list': 'list',
  initialize: 'handshake',
  'server/discover': 'handshake',
  ping: 'handshake',
  'subscriptions/listen': 'stream',
};

/** `unknown`: it was refused before its message was read. */
export function methodClassOf(
  httpMethod: string | undefined,
  message: McpMessage | undefined,
): MethodClass {
  if (httpMethod === 'GET') return 'stream';
  if (httpMethod === 'DELETE') return 'end';
  if (message === undefined) return 'unknown';
  if (message.kind !== 'request') return message.kind;
  return (Object.hasOwn(CLASSES, message.method) && CLASSES[message.method]) || 'other';
}
