import { freePort, type RunningService, type Stack } from '@tollgate/stack';

// The services that a gateway may run several times, each with its own port and name.

type Env = Readonly<Record<string, string>>;

export interface PolicyPorts {
  readonly policyGrpc: number;
  readonly policyHttp: number;
}

export const local = (port: number): string => `http://127.0.0.1:${String(port)}`;

export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}

/**
 * Ports are chosen before any service starts, because every service gets the policies' addresses.
 */
export function freePolicyPorts(count: number): Promise<PolicyPorts[]> {
  const ports = async (): Promise<PolicyPorts> => ({
    policyGrpc: await freePort(),
    policyHttp: await freePort(),
  });
  return Promise.all(Array.from({ length: count }, ports));
}

export function policyAddresses(ports: readonly PolicyPorts[]): string[] {
  return ports.map(({ policyGrpc }) => `127.0.0.1:${String(policyGrpc)}`);
}

export function startPolicies(
  stack: Stack,
  ports: readonly PolicyPorts[],
  env: Env,
): Promise<RunningService[]> {
  return inTurn(ports, (own, n) =>
    stack.start('policy', { as: `policy-${String(n)}`, ports: { ...own }, env: { ...env } }),
  );
}

export async function startEdges(stack: Stack, count: number, env: Env): Promise<RunningService[]> {
  return inTurn(await freePorts(count), (edge, n) =>
    stack.start('edge', { as: `edge-${String(n)}`, ports: { edge }, env: { ...env } }),
  );
}

/**
 * Starts one after another, numbered from 1, because starting takes most of a machine's capacity.
 */
export async function inTurn<T, R>(
  list: readonly T[],
  start: (item: T, n: number) => Promise<R>,
): Promise<R[]> {
  const started: R[] = [];
  for (const [index, item] of list.entries()) started.push(await start(item, index + 1));
  return started;
}
