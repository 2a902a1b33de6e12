import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The check of a signature that a storage makes: AWS Signature Version 4 in the Authorization header,
 * written from its specification so that it shares nothing with the library that signs.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

export interface SignedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export type SignatureFault =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'BadDigest'
  | 'InvalidAccessKeyId'
  | 'SignatureDoesNotMatch'
  | 'XAmzContentSHA256Mismatch';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/** The S3 error code of what is wrong with a request; undefined: nothing is. */
export function signatureFault(
  request: SignedRequest,
  key: SigningKey,
): SignatureFault | undefined {
  const { headers, body } = request;
  const match = AUTHORIZATION.exec(headers.authorization ?? '');
  if (match === null) return 'AccessDenied';
  const [, accessKeyId = '', day = '', region = '', names = '', signature = ''] = match;
  if (accessKeyId !== key.accessKeyId) return 'InvalidAccessKeyId';
  const dated = String(headers['x-amz-date'] ?? '');
  if (region !== key.region || !dated.startsWith(day)) return 'AuthorizationHeaderMalformed';
  const signed = names.split(';');
  // Everything that says what is stored must be signed.
  const needed = Object.keys(headers).filter(
    (name) => name === 'host' || name.startsWith('x-amz-'),
  );
  if (needed.some((name) => !signed.includes(name))) return 'AccessDenied';
  const digest = createHash('sha256').update(body).digest();
  if (headers['x-amz-content-sha256'] !== digest.toString('hex')) {
    return 'XAmzContentSHA256Mismatch';
  }
  const checksum = headers['x-amz-checksum-sha256'];
  if (checksum !== undefined && checksum !== digest.toString('base64')) return 'BadDigest';
  return signature === signatureOf(request, key, { dated, day, signed })
    ? undefined
    : 'SignatureDoesNotMatch';
}

function signatureOf(
  { method, url, headers }: SignedRequest,
  { secretAccessKey, region }: SigningKey,
  { dated, day, signed }: { dated: string; day: string; signed: readonly string[] },
): string {
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .join('&'),
    ...signed.map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signed.join(';'),
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', dated, scope, sha256(canonical)].join('\n');
  const steps = [day, region, 's3', 'aws4_request'];
  const signingKey = steps.reduce<Buffer | string>(
    (secret, step) => createHmac('sha256', secret).update(step).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac('sha256', signingKey).update(text).digest('hex');
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Percent-encodes all but unreserved characters. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
