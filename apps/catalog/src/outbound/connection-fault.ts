import { ForbiddenAddress } from './guarded-agent';

export const CONNECTION_FAULTS = [
  'name_not_found',
  'connect_timed_out',
  'timed_out',
  'tls_failed',
  'not_http',
  'too_large',
  'address_refused',
  'not_reachable',
] as const;
export type ConnectionFaultCode = (typeof CONNECTION_FAULTS)[number];

/** Why a call got no whole response. */
export interface ConnectionFault {
  readonly code: ConnectionFaultCode;
  /** The rule that refuses the address; empty for other codes. */
  readonly rule: string;
}

/** Codes and names of errors of Node and undici. */
const PATTERNS: readonly (readonly [RegExp, ConnectionFaultCode])[] = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|ENODATA)$/, 'name_not_found'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'connect_timed_out'],
  [/^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|TimeoutError|ETIMEDOUT)$/, 'timed_out'],
  [/^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, 'tls_failed'],
  // Not every parser error has a code (HPE_…).
  [/^(HTTPParserError|HPE_)/, 'not_http'],
  [/^(UND_ERR_RES_EXCEEDED_MAX_SIZE|UND_ERR_HEADERS_OVERFLOW)$/, 'too_large'],
];

const MAX_CAUSES = 5;

/** Classifies the error of a call through a guarded agent. Rethrows what is not a connection error. */
export function connectionFault(error: unknown): ConnectionFault {
  let known = false;
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth += 1) {
    if (cause instanceof ForbiddenAddress) return { code: 'address_refused', rule: cause.message };
    const code = property(cause, 'code');
    known ||= typeof code === 'string';
    const names = [code, property(cause, 'name')].filter((name) => typeof name === 'string');
    const found = PATTERNS.find(([pattern]) => names.some((name) => pattern.test(name)));
    if (found !== undefined) return { code: found[1], rule: '' };
    cause = property(cause, 'cause');
  }
  if (!known) throw error;
  return { code: 'not_reachable', rule: '' };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
