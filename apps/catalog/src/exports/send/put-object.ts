import { createHash } from 'node:crypto';
import type { rest } from '@tollgate/contracts';
import { AwsV4Signer } from 'aws4fetch';
import { request } from 'undici';

import { connectionFault, createGuardedAgent, type ConnectionFaultCode } from '../../outbound';
import type { SendLimits, SendOutcome } from './outcome';

/**
 * Puts one object into a storage that speaks the S3 protocol, signed with AWS Signature Version 4. A
 * repeated call overwrites the object with itself.
 */

export type S3Target = Extract<rest.ExportTarget, { type: 'S3' }>;

export interface StoredObject {
  readonly name: string;
  readonly body: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_LIMIT_BYTES = 64 * 1024;

const SENTENCES: Readonly<Record<ConnectionFaultCode, string>> = {
  name_not_found: 'The host of the storage has no address.',
  connect_timed_out: 'The storage does not accept connections in time.',
  timed_out: 'The storage did not answer in time.',
  tls_failed:
    'The TLS connection failed: the storage has an invalid certificate, or does not use TLS.',
  not_http: 'The address does not speak HTTP/1.1. Check the port of the endpoint.',
  too_large: 'The answer of the storage is too large.',
  address_refused:
    'The gateway may not connect to the address of the storage. UPSTREAM_ALLOWED_CIDRS allows private networks.',
  not_reachable: 'The storage refused or closed the connection.',
};

/** The bucket is part of the path or of the host. */
export function objectUrl({ endpoint, bucket, addressing }: S3Target, name: string): string {
  const { protocol, host } = new URL(endpoint);
  const path = name.split('/').map(encodeURIComponent).join('/');
  return addressing === 'PATH'
    ? `${protocol}//${host}/${bucket}/${path}`
    : `${protocol}//${bucket}.${host}/${path}`;
}

export async function putObject(
  target: S3Target,
  secretAccessKey: string,
  object: StoredObject,
  { addressRules, timeoutMs }: SendLimits,
  nowMs: number,
): Promise<SendOutcome> {
  const agent = createGuardedAgent({
    addressRules,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    responseLimitBytes: ANSWER_LIMIT_BYTES,
  });
  try {
    const { url, headers } = await signed(target, secretAccessKey, object, nowMs);
    const response = await request(url, {
      dispatcher: agent,
      method: 'PUT',
      headers,
      body: object.body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = await response.body.text();
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) return { ok: true, status };
    return { ok: false, status, message: sentenceOf(status, answer), retryAfterMs: null };
  } catch (error) {
    const { code, rule } = connectionFault(error);
    const sentence = SENTENCES[code];
    const message = rule === '' ? sentence : `${sentence} Here ${rule}.`;
    return { ok: false, status: null, message, retryAfterMs: null };
  } finally {
    await agent.destroy();
  }
}

async function signed(
  target: S3Target,
  secretAccessKey: string,
  { name, body, contentType, contentEncoding }: StoredObject,
  nowMs: number,
): Promise<{ url: string; headers: Record<string, string> }> {
  const digest = createHash('sha256').update(body).digest();
  const signer = new AwsV4Signer({
    method: 'PUT',
    url: objectUrl(target, name),
    headers: {
      'user-agent': 'tollgate',
      'content-type': contentType,
      ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
      // The storage compares the body with both; the second is kept with the object.
      'x-amz-content-sha256': digest.toString('hex'),
      'x-amz-checksum-sha256': digest.toString('base64'),
    },
    accessKeyId: target.accessKeyId,
    secretAccessKey,
    service: 's3',
    region: target.region,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const { url, headers } = await signer.sign();
  return { url: url.href, headers: Object.fromEntries(headers.entries()) };
}

/** Of the answer only the error code is told, such as AccessDenied: the rest may echo the request. */
function sentenceOf(status: number, answer: string): string {
  const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(answer)?.[1];
  const told = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  if (status >= 300 && status < 400) {
    return `The storage answers with ${told}, and redirects are not followed. Correct the endpoint or the region.`;
  }
  return `The storage answers with ${told}.`;
}
