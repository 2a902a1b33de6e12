// From a server's settings to a way of opening a channel to it, or the reason why not.
import {
  mcpSecretContext,
  openSecret,
  type AddressRules,
  type KeyRing,
  type McpConnection__Output,
} from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { openSse, openStdio, type StdioDeps } from '../channels';
import { environmentOf, type Commands } from '../commands';
import type { Refusal, Target } from '../sessions';
import type { Connections } from './connections';
import type { SseAuths } from './sse-auths';

export interface TargetDeps {
  readonly connections: Connections;
  readonly commands: Commands;
  readonly keyRing: KeyRing;
  readonly rules: AddressRules;
  readonly auths: SseAuths;
  /** The runner's own environment, of which commands name parts. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: Omit<StdioDeps, 'log'>;
  /** Of sessions with legacy SSE servers, which no command limits. */
  readonly sse: { readonly idleMs: number; readonly maxSessions: number };
  readonly log: Logger;
}

const DEFAULT_CONNECT_MS = 10_000;
const DEFAULT_ANSWER_MS = 60_000;

export async function resolveTarget(
  deps: TargetDeps,
  serverId: string,
  version: number,
): Promise<Target | Refusal> {
  const connection = await deps.connections.get(serverId, version);
  if ('status' in connection) return connection;
  if (connection.transport === 'STDIO') return stdioTarget(deps, connection);
  if (connection.transport === 'SSE') return sseTarget(deps, connection);
  return refused('Servers of this transport are reached without the runner.');
}

function stdioTarget(deps: TargetDeps, connection: McpConnection__Output): Target | Refusal {
  const { command: name, serverId } = connection;
  const command = deps.commands.get(name);
  if (command === undefined) {
    return refused(`The runner has no command named ${JSON.stringify(name)} in its file.`);
  }
  const secret = secretOf(deps, connection);
  if (isRefusal(secret)) return secret;
  if (command.secretEnv !== undefined && secret === undefined) {
    return refused(`The command ${name} needs the MCP server's secret, and none is stored.`);
  }
  const { args, cwd, idleSeconds, maxProcesses, maxSessions, memoryMb } = command;
  const env = environmentOf(command, deps.env, secret);
  const log = deps.log.child({ serverId, command: name });
  const program = command.command;
  const what = { command: program, args, cwd, env, secret, memoryMb, maxProcesses };
  return {
    key: `command ${name}`,
    version: connection.version,
    open: openStdio(what, { ...deps.stdio, log }),
    idleMs: idleSeconds * 1_000,
    silenceMs: connection.idleTimeoutMs || DEFAULT_ANSWER_MS,
    maxSessions,
    stateless: true,
  };
}

function sseTarget(deps: TargetDeps, connection: McpConnection__Output): Target | Refusal {
  const { serverId, url } = connection;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    return refused("The MCP server's url is not an address of http or https.");
  }
  const secret = secretOf(deps, connection);
  if (isRefusal(secret)) return secret;
  const connectMs = connection.connectTimeoutMs || DEFAULT_CONNECT_MS;
  const auth = deps.auths.of(connection, secret, connectMs);
  if (auth === undefined) {
    return refused("The MCP server's auth is not complete: its secret or an address is missing.");
  }
  const target = {
    url: new URL(url),
    headers: connection.headers,
    auth,
    connectMs,
    answerMs: connection.idleTimeoutMs || DEFAULT_ANSWER_MS,
  };
  return {
    key: `server ${serverId}`,
    version: connection.version,
    open: openSse(target, { rules: deps.rules, log: deps.log.child({ serverId }) }),
    ...deps.sse,
    silenceMs: target.answerMs,
    stateless: false,
  };
}

function secretOf(
  { keyRing, log }: TargetDeps,
  { secret, serverId }: McpConnection__Output,
): string | undefined | Refusal {
  if (!secret) return undefined;
  try {
    return openSecret(keyRing, secret, mcpSecretContext(serverId));
  } catch (error) {
    log.error("an MCP server's secret cannot be opened", { serverId, error });
    return refused("The MCP server's secret cannot be opened with the runner's keys.");
  }
}

function isRefusal(value: string | undefined | Refusal): value is Refusal {
  return typeof value === 'object';
}

function refused(message: string): Refusal {
  return { status: 502, code: 'server_refused', message };
}
