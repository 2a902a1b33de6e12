// A fake catalog: connections of MCP servers by id.
import {
  DirectoryDefinition,
  GRPC_CALLERS,
  parseKeyRing,
  sealSecret,
  secretContext,
  type GetMcpConnectionRequest__Output,
  type McpConnection,
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

export type FakeDirectory = Awaited<ReturnType<typeof startFakeDirectory>>;

export async function startFakeDirectory() {
  const fake = {
    address: '',
    asked: 0,
    away: false,
    connections: new Map<string, McpConnection>(),
    stop: () => server.close({ drainMs: 0 }),
  };
  const refuse = () => {
    throw new GrpcFailure(grpcStatus.UNIMPLEMENTED, 'not for the runner');
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
          getConnection: unary(async () => refuse()),
          getMcpSignIn: unary(async () => refuse()),
          getScreeningPolicy: unary(async () => refuse()),
          watchInvalidations: serverStream(refuse),
          getMcpConnection: unary(async ({ serverId }: GetMcpConnectionRequest__Output) => {
            fake.asked += 1;
            if (fake.away) throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'database away');
            const found = fake.connections.get(serverId);
            if (!found) throw new GrpcFailure(grpcStatus.NOT_FOUND, 'no such server');
            return found;
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

/** A secret as the catalog seals it for this server. */
export function sealedFor(serverId: string, secret: string): NonNullable<McpConnection['secret']> {
  const context = secretContext('mcp-server', serverId);
  return { apiKeyId: '', weight: 1, ...sealSecret(parseKeyRing(KEY_RING), secret, context) };
}
