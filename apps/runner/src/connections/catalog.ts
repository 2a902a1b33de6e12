import { DirectoryClient, type McpConnection__Output } from '@tollgate/contracts/node';
import { callUnary, createGrpcClient, grpcStatus, type GrpcChannel } from '@tollgate/kit';

/** The runner's only request to the catalog. */
export interface Directory {
  /** Undefined: there is no such server, or it is disabled. */
  readonly getMcpConnection: (
    serverId: string,
    version: number,
  ) => Promise<McpConnection__Output | undefined>;
  /** Rejects when the catalog's process is unreachable. */
  readonly reach: () => Promise<void>;
  readonly close: () => void;
}

export function createDirectory(channel: GrpcChannel, deadlineMs: number): Directory {
  const client = createGrpcClient(DirectoryClient, channel);
  return {
    getMcpConnection: async (serverId, version) => {
      try {
        return await callUnary(client, 'getMcpConnection', { serverId, version }, { deadlineMs });
      } catch (error) {
        if ((error as { code?: number }).code === grpcStatus.NOT_FOUND) return undefined;
        throw error;
      }
    },
    reach: () =>
      new Promise((resolve, reject) => {
        client.waitForReady(Date.now() + deadlineMs, (error) => {
          if (error) reject(new Error('the catalog is unreachable', { cause: error }));
          else resolve();
        });
      }),
    close: () => client.close(),
  };
}
