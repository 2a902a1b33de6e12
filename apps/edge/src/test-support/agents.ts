import type { AgentOptions } from '../upstream/agents';

/** Connection pools that may connect to any address, without a proxy. */
export const AGENTS: AgentOptions = {
  connections: 16,
  keepAliveMs: 4_000,
  socketAgeMs: 120_000,
  headerBytes: 32 * 1024,
  http2: true,
  ca: '',
  proxies: { http: '', https: '', none: '' },
  mayConnect: () => true,
};
