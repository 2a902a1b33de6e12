// Signs a request to AWS by Signature Version 4, with the vendor's own library.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

import type { UpstreamCall } from '../call';
import type { AwsCredentials } from './aws-credentials';

export interface AwsScope {
  readonly region: string;
  readonly service: string;
}

/** The call with the headers of its signature. Its body is a text or bytes. */
export async function signedForAws(
  call: UpstreamCall,
  credentials: AwsCredentials,
  { region, service }: AwsScope,
  wallMs: number,
): Promise<UpstreamCall> {
  const { body } = call;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    throw new TypeError('a body that is read from a file cannot be signed');
  }
  const { hostname, port, protocol } = new URL(call.origin);
  const host = port === '' ? hostname : `${hostname}:${port}`;
  const at = call.path.indexOf('?');
  const path = at < 0 ? call.path : call.path.slice(0, at);
  const query = at < 0 ? '' : call.path.slice(at + 1);
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
    },
    region,
    service,
    sha256: NodeSha256,
  });
  const signed = await signer.sign(
    {
      method: call.method ?? 'POST',
      protocol,
      hostname,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...call.headers, host },
      body,
    },
    { signingDate: new Date(wallMs) },
  );
  // The client sends the host itself.
  const { host: _, ...headers } = signed.headers;
  return { ...call, headers: { ...call.headers, ...headers } };
}

/** SHA-256 of Node, which is many times as fast as one in JavaScript. */
class NodeSha256 {
  readonly #secret: Uint8Array | string | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Uint8Array | ArrayBuffer | ArrayBufferView | string) {
    this.#secret = typeof secret === 'string' || secret === undefined ? secret : bytesOf(secret);
    this.#hash = this.#fresh();
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
