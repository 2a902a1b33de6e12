import {
  DirectoryClient,
  LedgerClient,
  type Connection__Output,
  type KeepBodiesReply__Output,
  type KeepBodiesRequest,
  type McpConnection__Output,
  type McpSignIn__Output,
  type ReportRefusedRequest,
  type ScreeningPolicy__Output,
} from '@tollgate/contracts/node';
import {
  callUnary,
  createGrpcClient,
  grpcChannel,
  grpcStatus,
  type GrpcChannelOptions,
} from '@tollgate/kit';

/** The edge's only requests to catalog. */
export interface Directory {
  /** Undefined: the version does not exist. */
  getConnection: (providerId: string, version: number) => Promise<Connection__Output | undefined>;
  /** The current version, at least the given one. Undefined: there is no such server. */
  getMcpConnection: (
    serverId: string,
    version: number,
  ) => Promise<McpConnection__Output | undefined>;
  /** Undefined: the organisation is unknown, or accepts no tokens. */
  getMcpSignIn: (organisation: string) => Promise<McpSignIn__Output | undefined>;
  /** Undefined: the version does not exist. */
  getScreeningPolicy: (
    policyId: string,
    version: number,
  ) => Promise<ScreeningPolicy__Output | undefined>;
  reportRefused: (request: ReportRefusedRequest) => Promise<unknown>;
  keepBodies: (request: KeepBodiesRequest) => Promise<KeepBodiesReply__Output>;
  close: () => void;
}

/** Bodies are compressed and stored before the catalog answers. */
const KEEP_DEADLINE_MS = 10_000;

export function connectDirectory(channel: GrpcChannelOptions, deadlineMs: number): Directory {
  const options = grpcChannel(channel);
  const client = createGrpcClient(DirectoryClient, options);
  const ledger = createGrpcClient(LedgerClient, options);
  return {
    getConnection: (providerId, version) =>
      orUndefined(callUnary(client, 'getConnection', { providerId, version }, { deadlineMs })),
    getMcpConnection: (serverId, version) =>
      orUndefined(callUnary(client, 'getMcpConnection', { serverId, version }, { deadlineMs })),
    getMcpSignIn: (organisation) =>
      orUndefined(callUnary(client, 'getMcpSignIn', { organisation }, { deadlineMs })),
    getScreeningPolicy: (policyId, version) =>
      orUndefined(callUnary(client, 'getScreeningPolicy', { policyId, version }, { deadlineMs })),
    reportRefused: (request) => callUnary(ledger, 'reportRefused', request, { deadlineMs }),
    keepBodies: (request) =>
      callUnary(ledger, 'keepBodies', request, { deadlineMs: KEEP_DEADLINE_MS }),
    close: () => {
      client.close();
      ledger.close();
    },
  };
}

async function orUndefined<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if ((error as { code?: number }).code === grpcStatus.NOT_FOUND) return undefined;
    throw error;
  }
}
