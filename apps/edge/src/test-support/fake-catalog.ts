// A fake catalog: connection material by provider and version, and kept bodies.

import {
  DirectoryDefinition,
  GRPC_CALLERS,
  LedgerDefinition,
  parseKeyRing,
  sealSecret,
  secretContext,
  type Connection,
  type GetConnectionRequest__Output,
  type GetMcpConnectionRequest__Output,
  type GetMcpSignInRequest__Output,
  type GetScreeningPolicyRequest__Output,
  type KeepBodiesRequest__Output,
  type McpConnection,
  type McpSignIn,
  type RequestBodies__Output,
  type ScreeningPolicy,
} from '@tollgate/contracts/node';
import {
  createLogger,
  GrpcFailure,
  grpcStatus,
  serveGrpc,
  serverStream,
  unary,
} from '@tollgate/kit';

export const KEY_RING = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
export const PROVIDER_SECRET = 'sk-upstream-secret-0123456789';

/** Methods of the ledger that only policy calls. */
const OF_POLICY = [
  'append',
  'windowTotals',
  'getShards',
  'advanceEpoch',
  'checkpoint',
  'reportSoftLimits',
  'reportDecisions',
  'report',
];

const refuse = () => {
  throw new GrpcFailure(grpcStatus.UNIMPLEMENTED, 'not for the edge');
};

function textsIn(bodies: readonly RequestBodies__Output[]): number {
  const each = bodies.flatMap(({ answer, request }) => [answer, request]);
  return each.filter((one) => one?.leftOut === '').length;
}

export type FakeCatalog = Awaited<ReturnType<typeof startFakeCatalog>>;

export async function startFakeCatalog() {
  const fake = {
    address: '',
    asked: [] as GetConnectionRequest__Output[],
    connections: new Map<string, Connection>(),
    /** By the server's id. */
    mcpConnections: new Map<string, McpConnection>(),
    /** By the organisation's slug. */
    mcpSignIns: new Map<string, McpSignIn>(),
    /** By id and version, as `policy-1:3`. */
    screeningPolicies: new Map<string, ScreeningPolicy>(),
    /** In the order in which they arrived. */
    bodies: [] as RequestBodies__Output[],
    away: false,
    stop: () => server.close({ drainMs: 0 }),
  };
  const refuseWhileAway = (): void => {
    if (fake.away) throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'database away');
  };
  const known = <Found>(found: Found | undefined, otherwise: string): Found => {
    refuseWhileAway();
    if (!found) throw new GrpcFailure(grpcStatus.NOT_FOUND, otherwise);
    return found;
  };
  const server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    services: [
      {
        definition: DirectoryDefinition,
        implementation: {
          resolveKey: unary(async () => refuse()),
          resolveKeys: unary(async () => refuse()),
          watchInvalidations: serverStream(refuse),
          getConnection: unary(async (request: GetConnectionRequest__Output) => {
            fake.asked.push(request);
            return known(
              fake.connections.get(`${request.providerId}:${request.version}`),
              'no such version',
            );
          }),
          getMcpConnection: unary(async ({ serverId }: GetMcpConnectionRequest__Output) => {
            return known(fake.mcpConnections.get(serverId), 'no such server');
          }),
          getScreeningPolicy: unary(
            async ({ policyId, version }: GetScreeningPolicyRequest__Output) => {
              return known(fake.screeningPolicies.get(`${policyId}:${version}`), 'no such version');
            },
          ),
          getMcpSignIn: unary(async ({ organisation }: GetMcpSignInRequest__Output) => {
            return known(fake.mcpSignIns.get(organisation), 'no tokens');
          }),
        },
      },
      {
        definition: LedgerDefinition,
        implementation: {
          ...Object.fromEntries(OF_POLICY.map((name) => [name, unary(async () => refuse())])),
          reportRefused: unary(async () => ({})),
          keepBodies: unary(async ({ bodies }: KeepBodiesRequest__Output) => {
            refuseWhileAway();
            fake.bodies.push(...bodies);
            return { kept: textsIn(bodies), dayFull: 0 };
          }),
        },
      },
    ],
    tokens: new Map(),
    callers: GRPC_CALLERS,
    log: createLogger({ service: 'fake-catalog', level: 'error', write: () => undefined }),
  });
  fake.address = `127.0.0.1:${server.port}`;
  return fake;
}

/** One of a provider's keys, sealed as catalog seals it. */
export function secretOf(providerId: string, apiKeyId: string, value: string) {
  const sealed = sealSecret(parseKeyRing(KEY_RING), value, secretContext(providerId, apiKeyId));
  return { apiKeyId, weight: 1, ...sealed };
}

/** A provider's connection material, with its secret sealed as catalog seals it. */
export function connection(over: Connection & { baseUrl: string }): Connection {
  const providerId = over.providerId ?? 'provider-1';
  return {
    providerId,
    version: 1,
    providerType: 'PROVIDER_A',
    upstreamFormat: 'openai',
    secrets: [secretOf(providerId, 'secret-1', PROVIDER_SECRET)],
    ...over,
  };
}
