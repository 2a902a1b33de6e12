import type { RouteFamily } from '@tollgate/contracts';
import type { Retirement__Output } from '@tollgate/contracts/node';

import type { ClientReply } from '../client-reply';
import { relayedHeader } from './header-text';

/** Where a client of each family reads about one model. */
const MODEL_PATHS: Readonly<Partial<Record<RouteFamily, string>>> = {
  gemini: '/v1beta/models/',
  vllm: '/v1/vllm/models/',
};

/**
 * The announced end of a model or of an alias: `deprecation` (RFC 9745), `sunset` (RFC 8594), and a
 * `link` to what people read about it and to the model to use instead (RFC 5829).
 */
export function retirementHeaders(
  family: RouteFamily,
  { deprecatedAtMs, replacement, sunsetAtMs, url }: Retirement__Output,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (deprecatedAtMs > 0) headers['deprecation'] = `@${String(Math.floor(deprecatedAtMs / 1_000))}`;
  if (sunsetAtMs > 0) headers['sunset'] = new Date(sunsetAtMs).toUTCString();
  const links: string[] = [];
  if (url !== '') links.push(`<${relayedHeader(url)}>; rel="deprecation"; type="text/html"`);
  if (replacement !== '') {
    const path = `${MODEL_PATHS[family] ?? '/v1/models/'}${encodeURIComponent(replacement)}`;
    links.push(`<${path}>; rel="successor-version"`);
  }
  if (links.length > 0) headers['link'] = links.join(', ');
  return headers;
}

/** Tells the client of the end of the name that it asked for, whatever the answer will be. */
export function tellRetirement(
  res: Pick<ClientReply, 'setHeader'>,
  family: RouteFamily,
  retirement: Retirement__Output | null | undefined,
): void {
  if (!retirement) return;
  for (const [name, value] of Object.entries(retirementHeaders(family, retirement))) {
    res.setHeader(name, value);
  }
}
