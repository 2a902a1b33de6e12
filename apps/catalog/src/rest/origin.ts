import { isIP } from 'node:net';
import { safeEqual } from '@tollgate/kit';
import type { Request } from 'express';

/**
 * The address of the caller. Sign-in attempts are counted by it, so `X-Forwarded-For` is only
 * trusted from the console, which proves itself by its token, and from configured proxies.
 */

export interface Origin {
  readonly address: string;
  /** Whether the caller's connection uses TLS. */
  readonly encrypted: boolean;
}

/** The console's token has its own header, because `Authorization` carries the user's. */
const TOKEN_HEADER = 'x-service-token';

export type OriginOf = (request: Request) => Origin;

/** `consoleTokens`: the console's service tokens; without one only trusted proxies are believed. */
export function createOriginOf(consoleTokens: readonly string[]): OriginOf {
  const isConsole = (request: Request): boolean => {
    const shown = request.get(TOKEN_HEADER);
    return shown !== undefined && consoleTokens.some((token) => safeEqual(shown, token));
  };
  return (request) => {
    const socket = { address: request.ip ?? '', encrypted: request.secure };
    if (!isConsole(request)) return socket;
    // Proxies append to the list, so the console's own statement is the first entry.
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
