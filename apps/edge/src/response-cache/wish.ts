import type { IncomingHttpHeaders } from 'node:http';
import { gatewayError, isOneOf, MOST_CACHE_TTL_SECONDS } from '@tollgate/contracts';

export const CACHE_HEADER = 'x-tollgate-cache';
export const CACHE_MAX_AGE_HEADER = 'x-tollgate-cache-max-age';

const WISHES = ['on', 'off', 'refresh'] as const;

/** What a request asks of the cache. */
export interface CacheWish {
  /** Undefined: what the key's setting says. refresh: the answer is kept, and none is used. */
  readonly mode: (typeof WISHES)[number] | undefined;
  /** Older answers are not used. Undefined: as old as the setting allows. */
  readonly maxAgeSeconds: number | undefined;
}

const NO_WISH: CacheWish = { mode: undefined, maxAgeSeconds: undefined };

/** @throws GatewayError `invalid_request` naming the header */
export function readCacheWish(headers: IncomingHttpHeaders): CacheWish {
  const mode = headers[CACHE_HEADER];
  const age = headers[CACHE_MAX_AGE_HEADER];
  if (mode === undefined && age === undefined) return NO_WISH;
  if (mode !== undefined && !isOneOf(WISHES, String(mode))) {
    throw refused(CACHE_HEADER, 'must be on, off or refresh');
  }
  const maxAgeSeconds = age === undefined ? undefined : secondsOf(String(age));
  return { mode: mode as CacheWish['mode'], maxAgeSeconds };
}

function secondsOf(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (seconds <= MOST_CACHE_TTL_SECONDS) return seconds;
  const range = `must be a number of seconds from 0 to ${String(MOST_CACHE_TTL_SECONDS)}`;
  throw refused(CACHE_MAX_AGE_HEADER, range);
}

function refused(param: string, text: string) {
  return gatewayError('invalid_request', `${param}: ${text}`, { param });
}
