// The runner speaks with servers that have no HTTP of their own, and is called like any other server.

import { gatewayError, RUNNER_PRINCIPAL_HEADER } from '@tollgate/contracts';
import type { Dispatcher } from 'undici';

import type { RunnerUpstream } from '../auth';

export interface Runner {
  /** Base URL of any replica, for requests without a session. */
  readonly url: string;
  /** Whether a replica that names itself may be called. */
  readonly mayCall: (url: string) => boolean;
  readonly agentOf: (origin: string) => Dispatcher;
  /** The service token of the edge; undefined: none is demanded on a loopback address. */
  readonly token: string | undefined;
}

export interface Place {
  agent: Dispatcher;
  origin: string;
  path: string;
  headers: Record<string, string>;
}

/**
 * Where a server is called that the runner runs. `runnerUrl`: of the session's replica; empty: none.
 * @throws GatewayError `dependency_unavailable` when no runner is set up
 */
export function runnerPlace(
  runner: Runner | undefined,
  upstream: RunnerUpstream,
  { runnerUrl, principal }: { runnerUrl: string; principal: string },
): Place {
  if (!runner) {
    const text = `This MCP server has the transport ${upstream.transport}, which needs the runner, and none is set up. An operator has to start one and set RUNNER_URL.`;
    throw gatewayError('dependency_unavailable', text, { details: { dependency: 'runner' } });
  }
  // The setting may have changed since the session began.
  const known = runnerUrl !== '' && runner.mayCall(runnerUrl);
  const base = new URL(known ? runnerUrl : runner.url);
  const headers: Record<string, string> = { [RUNNER_PRINCIPAL_HEADER]: principal };
  if (runner.token !== undefined) headers['authorization'] = `Bearer ${runner.token}`;
  return {
    agent: runner.agentOf(base.origin),
    origin: base.origin,
    path: `${base.pathname.replace(/\/+$/, '')}/v1/servers/${encodeURIComponent(upstream.serverId)}/${upstream.version}`,
    headers,
  };
}

/**
 * Reads patterns of hosts with ports, in which `*` stands for characters without a dot:
 * `runner-*.runner:8085`.
 */
export function hostMatcher(patterns: readonly string[]): (url: string) => boolean {
  const tests = patterns.map((pattern) => {
    const parts = pattern.toLowerCase().split('*').map(escaped);
    return new RegExp(`^${parts.join('[a-z0-9-]*')}$`);
  });
  return (url) => {
    if (!URL.canParse(url)) return false;
    const { protocol, host, username, password, search, hash } = new URL(url);
    const plain = username === '' && password === '' && search === '' && hash === '';
    const http = protocol === 'http:' || protocol === 'https:';
    return http && plain && tests.some((test) => test.test(host));
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
