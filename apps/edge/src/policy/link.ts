import { PolicyClient, type SessionReply__Output } from '@tollgate/contracts/node';
import { createGrpcClient, grpcChannel, openStream, type GrpcChannelOptions } from '@tollgate/kit';

import type { SessionStream } from './session';

export type LinkOptions = GrpcChannelOptions & { connectTimeoutMs: number };

// Opens one session on its own connection. Sessions that share a connection would all end at the
// same replica.
export async function connectSession(options: LinkOptions): Promise<SessionStream> {
  const { connectTimeoutMs, ...channel } = options;
  const client = createGrpcClient(
    PolicyClient,
    grpcChannel({
      ...channel,
      options: { ...channel.options, 'grpc.use_local_subchannel_pool': 1 },
    }),
  );
  await new Promise<void>((resolve, reject) => {
    client.waitForReady(Date.now() + connectTimeoutMs, (error) => {
      if (!error) return resolve();
      client.close();
      reject(error);
    });
  });

  const stream = openStream(client, 'session');
  let close: ((reason: string) => void) | undefined;
  let reason: string | undefined;
  const closed = (why: string): void => {
    if (reason !== undefined) return;
    reason = why;
    client.close();
    close?.(why);
  };
  stream.on('error', (error) => closed(error.message));
  stream.on('end', () => {
    stream.end();
    closed('ended by policy');
  });

  return {
    write: (frame) => {
      stream.write(frame);
    },
    end: () => stream.end(),
    cancel: () => stream.cancel(),
    onFrame: (handle) => {
      stream.on('data', (frame: SessionReply__Output) => handle(frame));
    },
    onClosed: (handle) => {
      close = handle;
      if (reason !== undefined) handle(reason);
    },
  };
}
