import { readFileSync } from 'node:fs';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** Paths of PEM files for mutual TLS: the CA signs both sides. */
export interface TlsFiles {
  certFile: string;
  keyFile: string;
  caFile: string;
}

/** The three variables as one value: all of them or none. */
export function grpcTls(config: {
  GRPC_TLS_CERT: string | undefined;
  GRPC_TLS_KEY: string | undefined;
  GRPC_TLS_CA: string | undefined;
}): TlsFiles | undefined {
  const { GRPC_TLS_CERT: certFile, GRPC_TLS_KEY: keyFile, GRPC_TLS_CA: caFile } = config;
  if (certFile && keyFile && caFile) return { certFile, keyFile, caFile };
  if (certFile ?? keyFile ?? caFile) {
    throw new RangeError(
      'GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA are set together or not at all',
    );
  }
  return undefined;
}

export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(tls.certFile), private_key: readFileSync(tls.keyFile) };
  return ServerCredentials.createSsl(readFileSync(tls.caFile), [pair], true);
}

export function channelCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(
    readFileSync(tls.caFile),
    readFileSync(tls.keyFile),
    readFileSync(tls.certFile),
  );
}
