// Checks a request's Signature Version 4, written from AWS's description of it:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedRequest {
  method: string;
  /** Path and query, as on the wire. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/;
const DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** How far the clock of a client may be off. */
const CLOCK_MS = 5 * 60_000;

/**
 * The id of the access key; undefined: the signature is not accepted. `secretOf` has the secret of a key with
 * its session token.
 */
export function checkAwsSignature(
  { body, headers, method, url }: SignedRequest,
  secretOf: (keyId: string, sessionToken: string | undefined) => string | undefined,
  nowMs: number,
): string | undefined {
  const match = AUTHORIZATION.exec(headers['authorization'] ?? '');
  const amzDate = String(headers['x-amz-date'] ?? '');
  const instant = DATE.exec(amzDate);
  if (match === null || instant === null) return undefined;
  const [, keyId = '', day = '', region = '', service = '', list = '', signature = ''] = match;
  const [, year, month, date, hour, minute, second] = instant.map(Number);
  const signedMs = Date.UTC(year ?? 0, (month ?? 1) - 1, date, hour, minute, second);
  if (!amzDate.startsWith(day) || Math.abs(nowMs - signedMs) > CLOCK_MS) return undefined;
  const names = list.split(';');
  const present = names.every((name) => headers[name] !== undefined);
  // The host and the headers of the vendor must be signed, or they could be changed.
  const must = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (!present || !must.every((name) => names.includes(name))) return undefined;
  const token = headers['x-amz-security-token'];
  const secret = secretOf(keyId, token === undefined ? undefined : String(token));
  if (secret === undefined) return undefined;

  const bodyHash = sha256(body);
  const claimed = headers['x-amz-content-sha256'];
  if (claimed !== undefined && claimed !== bodyHash) return undefined;
  const [path = '/', query = ''] = url.split('?', 2);
  const canonical = [
    method,
    canonicalPath(path),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    list,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce(
    (previous: Buffer, part) => hmac(previous, part),
    Buffer.from(`AWS4${secret}`),
  );
  return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex')) ? keyId : undefined;
}

/** Without relative and empty segments (RFC 3986), each encoded once more, for every service but S3. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encoded(segment));
  }
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${end}`;
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((part) => part.split('=', 2).map((text) => encoded(decodeURIComponent(text))))
    .map(([name = '', value = '']) => [name, value] as const)
    .sort(([a, x], [b, y]) => order(a, b) || order(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const order = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** All bytes but A-Z, a-z, 0-9, hyphen, full stop, underscore and tilde. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
