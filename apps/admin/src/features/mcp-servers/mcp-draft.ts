import type { McpTransport, rest } from '@tollgate/contracts';

import { headersOf, headersText, numberOrNull } from '../../resource/typed';

// The draft of an MCP server: form state and request body. Pure.

export interface McpDraft {
  readonly name: string;
  readonly identifier: string;
  readonly transport: McpTransport;
  readonly url: string;
  readonly command: string;
  /** One argument per line. */
  readonly args: string;
  /** One "Name: value" per line. */
  readonly headers: string;
  /** Empty: no secret, or the current one. */
  readonly secret: string;
  /** Removes the current secret. */
  readonly noSecret: boolean;
  readonly timeoutMs: string;
  readonly status: rest.McpServer['status'];
}

export const NEW_SERVER: McpDraft = {
  name: '',
  identifier: '',
  transport: 'STREAMABLE_HTTP',
  url: '',
  command: '',
  args: '',
  headers: '',
  secret: '',
  noSecret: false,
  timeoutMs: '60000',
  status: 'ACTIVE',
};

export function mcpDraftOf(server: rest.McpServer): McpDraft {
  const { name, identifier, transport, url, command, args, headers, status } = server;
  return {
    name,
    identifier,
    transport,
    url: url ?? '',
    command: command ?? '',
    args: args.join('\n'),
    headers: headersText(headers),
    secret: '',
    noSecret: false,
    timeoutMs: String(server.timeoutMs),
    status,
  };
}

/** Sends only the fields of the transport. Values typed for another transport are dropped. */
function settingsOf(draft: McpDraft) {
  const { name, transport, url, command, args, headers, timeoutMs, status } = draft;
  const reached =
    transport === 'STDIO'
      ? { command: command.trim(), args: args.split('\n').filter((line) => line !== '') }
      : { url: url.trim() };
  return {
    name,
    ...reached,
    headers: headersOf(headers),
    timeoutMs: numberOrNull(timeoutMs) ?? Number.NaN,
    status,
  };
}

export function mcpBodyOf(draft: McpDraft) {
  const { identifier, transport, secret } = draft;
  return {
    ...settingsOf(draft),
    identifier: identifier.trim(),
    transport,
    ...(secret === '' ? {} : { secret }),
  };
}

export function mcpPatchOf(draft: McpDraft) {
  const { secret, noSecret } = draft;
  return {
    ...settingsOf(draft),
    ...(noSecret ? { secret: null } : secret === '' ? {} : { secret }),
  };
}
