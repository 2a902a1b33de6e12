import type { configShape } from './config';
import { portTaken } from './servers';
import { SERVICES, type Ports, type ServiceName } from './services';

type Shape = typeof configShape;
type PortVariable = {
  [K in keyof Shape]: K extends `${string}_PORT` ? K : never;
}[keyof Shape];

/**
 * The variable of each service's port; `ports.mjs` has the same table for the time before the
 * build.
 */
export const PORT_VARIABLES: Readonly<
  Record<ServiceName, Readonly<Partial<Record<PortVariable, keyof Ports>>>>
> = {
  simulator: { SIMULATOR_PORT: 'simulator' },
  catalog: {
    CATALOG_PORT: 'catalog',
    CATALOG_GRPC_PORT: 'catalogGrpc',
    CATALOG_OPS_PORT: 'catalogOps',
  },
  policy: { POLICY_GRPC_PORT: 'policyGrpc', POLICY_HTTP_PORT: 'policyHttp' },
  runner: { RUNNER_PORT: 'runner', RUNNER_OPS_PORT: 'runnerOps' },
  edge: { EDGE_PORT: 'edge', EDGE_OPS_PORT: 'edgeOps' },
  admin: { ADMIN_PORT: 'admin' },
};

type PortConfig = Readonly<Record<PortVariable, number>>;

/** The ports of all services, from the launcher's variables. */
export function portsOf(config: PortConfig): Partial<Ports> {
  const rows = SERVICES.flatMap((service) => variablesOf(service));
  return Object.fromEntries(rows.map(([variable, port]) => [port, config[variable]]));
}

/** One line per needed port that another program uses. */
export async function takenPorts(
  config: PortConfig,
  without: ReadonlySet<ServiceName>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const service of SERVICES) {
    if (without.has(service)) continue;
    for (const [variable] of variablesOf(service)) {
      const port = config[variable];
      if (!(await portTaken(port))) continue;
      lines.push(`Port ${String(port)} (${service}) is in use: set ${variable} to another one.`);
    }
  }
  return lines;
}

function variablesOf(service: ServiceName): [PortVariable, keyof Ports][] {
  return Object.entries(PORT_VARIABLES[service]) as [PortVariable, keyof Ports][];
}
