import type { rest } from '@tollgate/contracts';

import type { Tone } from '../../design/badge';

/** The meaning of an upstream's state. */
export interface StateWords {
  readonly label: string;
  readonly tone: Tone;
  /** The end of the state, if known. */
  readonly until: string | null;
}

type Status = Pick<rest.UpstreamStatus, 'state' | 'openUntil' | 'cooldownUntil'>;

/** The state at an instant. A breaker whose pause is over is on probation until the next request. */
export function stateWords(status: Status, nowMs: number): StateWords {
  const { state, openUntil, cooldownUntil } = status;
  const ahead = (instant: string | null): instant is string =>
    instant !== null && Date.parse(instant) > nowMs;
  if (state === 'OPEN' && ahead(openUntil)) {
    return { label: 'left out', tone: 'bad', until: openUntil };
  }
  if (state !== 'CLOSED') return { label: 'on probation', tone: 'warn', until: null };
  if (ahead(cooldownUntil)) {
    return { label: 'cooling down', tone: 'warn', until: cooldownUntil };
  }
  return { label: 'in use', tone: 'good', until: null };
}

const REASONS: Readonly<Record<string, string>> = {
  TIMEOUT: 'timed out',
  NETWORK: 'could not be reached',
  EARLY_END: 'ended the response early',
  INVALID_RESPONSE: 'sent a response that cannot be read',
  UPSTREAM_ERROR: 'reported an error',
  UPSTREAM_LIMITED: 'reported that its rate limit is reached',
};

/** "HTTP_503" → "responded with 503". Unknown codes are shown as they are. */
export function reasonWords(reason: string | null): string | undefined {
  if (reason === null) return undefined;
  const http = /^HTTP_(\d{3})$/.exec(reason)?.[1];
  return http === undefined ? (REASONS[reason] ?? reason) : `responded with ${http}`;
}
