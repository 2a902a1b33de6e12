import { DirectoryClient, type Connection__Output } from '@tollgate/contracts/node';
import {
  callUnary,
  createGrpcClient,
  grpcChannel,
  grpcStatus,
  type GrpcChannelOptions,
} from '@tollgate/kit';

/** The edge's only request to catalog. */
export interface Directory {
  /** Undefined: the version does not exist. */
  getConnection: (providerId: string, version: number) => Promise<Connection__Output | undefined>;
  close: () => void;
}

export function connectDirectory(channel: GrpcChannelOptions, deadlineMs: number): Directory {
  const client = createGrpcClient(DirectoryClient, grpcChannel(channel));
  return {
    getConnection: async (providerId, version) => {
      try {
        return await callUnary(client, 'getConnection', { providerId, version }, { deadlineMs });
      } catch (error) {
        if ((error as { code?: number }).code === grpcStatus.NOT_FOUND) return undefined;
        throw error;
      }
    },
    close: () => client.close(),
  };
}
