import type { McpTransport, rest } from '@tollgate/contracts';
import { headersOf, headersText, numberOrNull } from '../../resource/typed';

// An MCP server while it is being described. Pure: what the form holds, and what is sent of it.

export type McpDraft = {
  readonly name: string;
  readonly identifier: string;
  readonly transport: McpTransport;
  readonly url: string;
  readonly command: string;
  /** One argument a line. */
  readonly args: string;
  /** "Name: value" a line. */
  readonly headers: string;
  /** Empty: none, or the one that is there. */
  readonly secret: string;
  /** The one that is there is taken away. */
  readonly noSecret: boolean;
  readonly timeoutMs: string;
  readonly status: rest.McpServer['status'];
};

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

/** Only what the transport has is sent, whatever was typed before it was changed. */
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
