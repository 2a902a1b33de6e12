// Google's token endpoints and its metadata server.

import { createPublicKey, verify } from 'node:crypto';

import {
  json,
  oauthError,
  text,
  type Issuer,
  type IssuerRow,
  type IssuersDeps,
  type Mint,
} from './issuer';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

export function googleIssuers(
  { isValid, nowMs, settings }: IssuersDeps,
  { bearer }: Mint,
): IssuerRow[] {
  const googleToken: Issuer = ({ form, url }) => {
    if (form.get('grant_type') === EXCHANGE) {
      const token = form.get('subject_token') ?? '';
      if (!settings().subjectTokens.includes(token)) return oauthError('invalid_grant');
      return bearer('google', {
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      });
    }
    if (form.get('grant_type') !== JWT_BEARER) return oauthError('unsupported_grant_type');
    const claims = verifiedClaims(form.get('assertion') ?? '', settings().googleKeys);
    const nowS = nowMs() / 1_000;
    const good =
      claims &&
      claims['aud'] === url.href &&
      claims['scope'] === CLOUD_SCOPE &&
      Number(claims['iat']) <= nowS + 60 &&
      Number(claims['exp']) > nowS &&
      Number(claims['exp']) - Number(claims['iat']) <= 3_600;
    return good ? bearer('google') : oauthError('invalid_grant');
  };

  const googleImpersonation: Issuer = ({ headers }) => {
    const token = (headers['authorization'] ?? '').replace(/^Bearer /, '');
    if (!isValid(token)) return oauthError('unauthorized', 401);
    const { access_token: accessToken } = JSON.parse(bearer('google').body) as {
      access_token: string;
    };
    const expireTime = new Date(nowMs() + settings().lifetimeS * 1_000).toISOString();
    return json(200, { accessToken, expireTime });
  };

  const googleMetadata: Issuer = ({ headers }) =>
    headers['metadata-flavor'] === 'Google'
      ? bearer('google')
      : text(403, 'Missing required header');

  return [
    ['POST', /^\/_cloud\/google\/token$/, 'google', googleToken],
    [
      'POST',
      /^\/_cloud\/google\/v1\/projects\/-\/.+:generateAccessToken$/,
      'google-iam',
      googleImpersonation,
    ],
    ['GET', /^\/computeMetadata\/v1\/.+\/token$/, 'google-metadata', googleMetadata],
  ];
}

/** The claims of a JWT that the issuer named in it has signed with RS256; undefined: none such. */
function verifiedClaims(
  jwt: string,
  keys: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const { alg } = decoded(header);
  const claims = decoded(payload);
  const pem = keys[String(claims['iss'])];
  if (alg !== 'RS256' || pem === undefined) return undefined;
  const data = Buffer.from(`${header}.${payload}`);
  const good = verify('sha256', data, createPublicKey(pem), Buffer.from(signature, 'base64url'));
  return good ? claims : undefined;
}

function decoded(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
