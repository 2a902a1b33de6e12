// The clouds' side of identities: issuers of tokens, and the checks of tokens and signatures, written from the
// vendors' specifications and without their libraries. Nothing is accepted that was not set up:
//
// PUT       /_sim/clouds          CloudSettings, each absent one unchanged
// GET       /_sim/clouds          what was issued, accepted and refused   DELETE forgets all
// POST      /_sim/clouds/expire   everything that was issued is expired
//
// Issuers are below /_cloud, as the environment of a gateway can name them.

import type { IncomingHttpHeaders } from 'node:http';

import { checkAwsSignature, type SignedRequest } from './aws-signature';
import type { Issued, IssuerAnswer } from './issuer';
import { createIssuers } from './issuers';
import type { CloudName, CloudSettings } from './settings';

export type { CloudName, CloudSettings } from './settings';

export interface CloudCounts {
  issued: Record<string, number>;
  refused: Record<string, number>;
  accepted: number;
  rejected: number;
}

export interface Clouds {
  /** Undefined: not a path of a cloud's issuer. */
  issue: (
    method: string,
    url: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ) => IssuerAnswer | undefined;
  /** The identity that a request has; undefined: none that is accepted. */
  accept: (cloud: CloudName, request: SignedRequest) => string | undefined;
  mayList: () => boolean;
  set: (settings: Partial<CloudSettings>) => void;
  expire: () => void;
  reset: () => void;
  counts: () => CloudCounts;
}

const START: CloudSettings = {
  googleKeys: {},
  entraClients: {},
  subjectTokens: [],
  awsKeys: {},
  awsBearers: [],
  mayList: true,
  lifetimeS: 3_600,
};

export function createClouds(nowMs: () => number = Date.now): Clouds {
  let settings = { ...START };
  let issued = new Map<string, Issued>();
  let counts: CloudCounts = { issued: {}, refused: {}, accepted: 0, rejected: 0 };

  const issuers = createIssuers({
    settings: () => settings,
    nowMs,
    keep: (id, one) => issued.set(id, one),
    isValid: (id) => valid(id) !== undefined,
  });

  const valid = (id: string): Issued | undefined => {
    const one = issued.get(id);
    return one && one.endsAtMs > nowMs() ? one : undefined;
  };

  const bearerOf = ({ headers }: SignedRequest): string =>
    /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '';

  const awsSecret = (keyId: string, token: string | undefined): string | undefined => {
    const temporary = valid(keyId);
    if (temporary) return temporary.token === token ? temporary.secret : undefined;
    return token === undefined ? settings.awsKeys[keyId] : undefined;
  };

  const identityOf = (cloud: CloudName, request: SignedRequest): string | undefined => {
    const bearer = bearerOf(request);
    if (cloud === 'aws' && bearer === '') {
      return checkAwsSignature(request, awsSecret, nowMs());
    }
    if (cloud === 'aws') return settings.awsBearers.find((key) => key === bearer);
    return bearer !== '' && valid(bearer)?.cloud === cloud ? bearer : undefined;
  };

  return {
    issue: (method, url, headers, body) => {
      const found = issuers(method, url, headers, body);
      if (found === undefined) return undefined;
      const tally = found.status === 200 ? counts.issued : counts.refused;
      tally[found.issuer] = (tally[found.issuer] ?? 0) + 1;
      return found;
    },
    accept: (cloud, request) => {
      const identity = identityOf(cloud, request);
      if (identity === undefined) counts.rejected += 1;
      else counts.accepted += 1;
      return identity;
    },
    mayList: () => settings.mayList,
    set: (changed) => {
      settings = { ...settings, ...changed };
    },
    expire: () => issued.clear(),
    reset: () => {
      settings = { ...START };
      issued = new Map();
      counts = { issued: {}, refused: {}, accepted: 0, rejected: 0 };
    },
    counts: () => counts,
  };
}
