import { safeEqual } from '@tollgate/kit';
import type { Request } from 'express';
import { isIP } from 'node:net';

/**
 * Where a call comes from. Attempts to sign in are counted by this address, so it is only taken from
 * `X-Forwarded-For` when whoever sends the header has proven to be the console, or is a configured proxy.
 */

export type Origin = {
  readonly address: string;
  /** Whether the caller's connection is encrypted. */
  readonly encrypted: boolean;
};

/** The console shows its token here: `Authorization` is the user's. */
const TOKEN_HEADER = 'x-service-token';

export type OriginOf = (request: Request) => Origin;

/** `consoleToken`: the console's service token; without one only trusted proxies are believed. */
export function createOriginOf(consoleToken: string | undefined): OriginOf {
  const isConsole = (request: Request): boolean => {
    const shown = request.get(TOKEN_HEADER);
    return consoleToken !== undefined && shown !== undefined && safeEqual(shown, consoleToken);
  };
  return (request) => {
    const socket = { address: request.ip ?? '', encrypted: request.secure };
    if (!isConsole(request)) return socket;
    // Proxies on the way append to the list, so the console's own statement is the first entry.
    const stated = firstOf(request.get('x-forwarded-for'));
    return {
      address: stated !== undefined && isIP(stated) !== 0 ? stated : socket.address,
      encrypted: socket.encrypted || firstOf(request.get('x-forwarded-proto')) === 'https',
    };
  };
}

function firstOf(header: string | undefined): string | undefined {
  return header?.split(',')[0]?.trim();
}
