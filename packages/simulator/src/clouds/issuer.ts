// What all issuers have: how a token or a temporary key is made, and how it is answered.

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { CloudName, CloudSettings } from './settings';

/** A token by itself, or a temporary access key by its id. */
export interface Issued {
  cloud: CloudName;
  endsAtMs: number;
  /** Of an access key. */
  secret?: string;
  token?: string;
}

export interface IssuerAnswer {
  /** Its name in the counts. */
  issuer: string;
  status: number;
  type: string;
  body: string;
}

export interface IssuersDeps {
  settings: () => CloudSettings;
  nowMs: () => number;
  keep: (id: string, issued: Issued) => void;
  isValid: (id: string) => boolean;
}

export type Issuer = (request: IssuerRequest) => Omit<IssuerAnswer, 'issuer'>;

export interface IssuerRequest {
  url: URL;
  headers: IncomingHttpHeaders;
  body: Buffer;
  form: URLSearchParams;
}

/** Method, path, name and issuer. */
export type IssuerRow = readonly [method: string, path: RegExp, name: string, issuer: Issuer];

export type Mint = ReturnType<typeof createMint>;

export function createMint({ keep, nowMs, settings }: IssuersDeps) {
  const bearer = (cloud: CloudName, extra: object = {}) => {
    const token = `sim-${cloud}-${randomBytes(18).toString('base64url')}`;
    const { lifetimeS } = settings();
    keep(token, { cloud, endsAtMs: nowMs() + lifetimeS * 1_000 });
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetimeS,
      ...extra,
    });
  };

  const temporaryKey = () => {
    const id = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const secret = randomBytes(30).toString('base64');
    const token = randomBytes(60).toString('base64');
    const endsAtMs = nowMs() + settings().lifetimeS * 1_000;
    keep(id, { cloud: 'aws', endsAtMs, secret, token });
    return {
      Code: 'Success',
      AccessKeyId: id,
      SecretAccessKey: secret,
      Token: token,
      Expiration: new Date(endsAtMs).toISOString(),
    };
  };

  return { bearer, temporaryKey };
}

const JSON_TYPE = 'application/json';

export function json(status: number, body: object) {
  return { status, type: JSON_TYPE, body: JSON.stringify(body) };
}

export function text(status: number, body: string) {
  return { status, type: 'text/plain', body };
}

export function oauthError(error: string, status = 400) {
  return json(status, { error, error_description: 'refused by the simulator' });
}
