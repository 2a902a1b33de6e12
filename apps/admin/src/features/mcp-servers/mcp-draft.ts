import type { McpTransport, rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { ApiError } from '../../api/rest-client';
import { headersOf, headersText, numberOrNull, textOrNull } from '../../resource/typed';

// The draft of an MCP server: form state and request body. Pure.

export interface ToolPriceDraft {
  readonly tool: string;
  readonly usd: string;
}

/** The fields of all types of authentication; the type says which are sent. */
export interface AuthDraft {
  readonly type: rest.McpAuthType;
  readonly header: string;
  readonly template: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  readonly resource: string;
}

export interface McpDraft {
  readonly name: string;
  readonly identifier: string;
  readonly transport: McpTransport;
  readonly url: string;
  /** The name of a command in the runner's file. */
  readonly command: string;
  /** One "Name: value" per line. */
  readonly headers: string;
  readonly auth: AuthDraft;
  /** Empty: no secret, or the current one. */
  readonly secret: string;
  /** Removes the current secret of a command. */
  readonly noSecret: boolean;
  readonly connectTimeoutMs: string;
  readonly idleTimeoutMs: string;
  readonly callPriceUsd: string;
  readonly toolPrices: readonly ToolPriceDraft[];
  readonly chargeFailures: boolean;
  /** Empty: unknown. */
  readonly region: string;
  readonly status: rest.McpServer['status'];
}

const SECRET_ONLY = '{{secret}}';

const NO_AUTH: AuthDraft = {
  type: 'NONE',
  header: '',
  template: SECRET_ONLY,
  tokenUrl: '',
  clientId: '',
  scope: '',
  resource: '',
};

export const NEW_SERVER: McpDraft = {
  name: '',
  identifier: '',
  transport: 'STREAMABLE_HTTP',
  url: '',
  command: '',
  headers: '',
  auth: NO_AUTH,
  secret: '',
  noSecret: false,
  connectTimeoutMs: '5000',
  idleTimeoutMs: '60000',
  callPriceUsd: '0',
  toolPrices: [],
  chargeFailures: false,
  region: '',
  status: 'ACTIVE',
};

export function mcpDraftOf(server: rest.McpServer): McpDraft {
  const { name, identifier, transport, url, command, chargeFailures, status } = server;
  return {
    name,
    identifier,
    transport,
    url: url ?? '',
    command: command ?? '',
    headers: headersText(server.headers),
    auth: authDraftOf(server.auth),
    secret: '',
    noSecret: false,
    connectTimeoutMs: String(server.connectTimeoutMs),
    idleTimeoutMs: String(server.idleTimeoutMs),
    callPriceUsd: server.callPriceUsd,
    toolPrices: Object.entries(server.toolPricesUsd).map(([tool, usd]) => ({ tool, usd })),
    chargeFailures,
    region: server.region ?? '',
    status,
  };
}

function authDraftOf(auth: rest.McpAuth | null): AuthDraft {
  switch (auth?.type) {
    case 'HEADER':
      return { ...NO_AUTH, ...auth };
    case 'OAUTH_CLIENT_CREDENTIALS':
      return { ...NO_AUTH, ...auth, scope: auth.scope ?? '', resource: auth.resource ?? '' };
    case 'BEARER':
      return { ...NO_AUTH, type: 'BEARER' };
    case 'NONE':
    case undefined:
      return NO_AUTH;
  }
}

function authOf(draft: AuthDraft): z.input<typeof rest.mcpAuth> {
  const { type } = draft;
  switch (type) {
    case 'NONE':
    case 'BEARER':
      return { type };
    case 'HEADER':
      return { type, header: draft.header.trim(), template: draft.template };
    case 'OAUTH_CLIENT_CREDENTIALS':
      return {
        type,
        tokenUrl: draft.tokenUrl.trim(),
        clientId: draft.clientId.trim(),
        scope: textOrNull(draft.scope),
        resource: textOrNull(draft.resource),
      };
  }
}

/** Whether the server has a secret with these settings. */
export function hasSecret({ transport, auth }: McpDraft): boolean {
  return transport === 'STDIO' || auth.type !== 'NONE';
}

/** Sends only the fields of the transport. Values typed for another transport are dropped. */
function settingsOf(draft: McpDraft) {
  const { name, transport, url, command, chargeFailures, status } = draft;
  const reached =
    transport === 'STDIO'
      ? { command: command.trim() }
      : { url: url.trim(), headers: headersOf(draft.headers), auth: authOf(draft.auth) };
  return {
    name,
    ...reached,
    connectTimeoutMs: numberOrNull(draft.connectTimeoutMs) ?? Number.NaN,
    idleTimeoutMs: numberOrNull(draft.idleTimeoutMs) ?? Number.NaN,
    callPriceUsd: draft.callPriceUsd.trim(),
    toolPricesUsd: toolPricesOf(draft.toolPrices),
    chargeFailures,
    region: textOrNull(draft.region),
    status,
  };
}

/** Rows without any text are dropped. @throws ApiError when a tool has two prices */
function toolPricesOf(rows: readonly ToolPriceDraft[]): Record<string, string> {
  const prices = new Map<string, string>();
  for (const row of rows) {
    const [tool, usd] = [row.tool.trim(), row.usd.trim()];
    if (tool === '' && usd === '') continue;
    if (prices.has(tool)) {
      const message = `${tool === '' ? 'A tool without a name' : tool} has two prices.`;
      throw new ApiError(422, 'validation_failed', message, [{ path: 'toolPricesUsd', message }]);
    }
    prices.set(tool, usd);
  }
  return Object.fromEntries(prices);
}

export function mcpBodyOf(draft: McpDraft) {
  const { identifier, transport, secret } = draft;
  return {
    ...settingsOf(draft),
    identifier: identifier.trim(),
    transport,
    ...(secret === '' || !hasSecret(draft) ? {} : { secret }),
  };
}

/**
 * The changes of a server. A command that stays is not sent, because only platform administrators may set
 * one. Without authentication the stored secret is removed.
 */
export function mcpPatchOf(
  draft: McpDraft,
  { command, secretPreview }: Pick<rest.McpServer, 'command' | 'secretPreview'>,
) {
  const { secret, noSecret } = draft;
  const settings = settingsOf(draft);
  const stays = 'command' in settings && settings.command === (command ?? '');
  const changes = stays ? withoutCommand(settings) : settings;
  if (noSecret || !hasSecret(draft)) {
    return secretPreview === null ? changes : { ...changes, secret: null };
  }
  return secret === '' ? changes : { ...changes, secret };
}

function withoutCommand<Settings extends { readonly command?: string }>({
  command: _command,
  ...others
}: Settings): Omit<Settings, 'command'> {
  return others;
}
