// What issues tokens and temporary keys, by its path.

import type { IncomingHttpHeaders } from 'node:http';

import { awsIssuers } from './aws';
import { entraIssuers } from './entra';
import { googleIssuers } from './google';
import { createMint, type IssuerAnswer, type IssuersDeps } from './issuer';

export function createIssuers(deps: IssuersDeps) {
  const mint = createMint(deps);
  const rows = [
    ...googleIssuers(deps, mint),
    ...entraIssuers(deps, mint),
    ...awsIssuers(deps, mint),
  ];

  /** Undefined: no issuer is at this path. */
  return (
    method: string,
    target: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): IssuerAnswer | undefined => {
    const url = new URL(target, `http://${String(headers['host'])}`);
    const row = rows.find(([rowMethod, path]) => rowMethod === method && path.test(url.pathname));
    if (row === undefined) return undefined;
    const [, , name, issuer] = row;
    const form = new URLSearchParams(body.toString('utf8'));
    return { issuer: name, ...issuer({ url, headers, body, form }) };
  };
}
