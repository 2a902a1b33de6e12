import type { rest } from '@tollgate/contracts';
import type { Tone } from '../../design/badge';

/** What an upstream's state means for requests. */
export type StateWords = {
  readonly label: string;
  readonly tone: Tone;
  /** Until when, where that is known. */
  readonly until: string | null;
};

type Status = Pick<rest.UpstreamStatus, 'state' | 'openUntil' | 'cooldownUntil'>;

/** At an instant: what was to be left alone until before it is tried again with the next request. */
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
  INVALID_RESPONSE: 'sent an invalid response',
  UPSTREAM_ERROR: 'reported an error',
  UPSTREAM_LIMITED: 'reported that its rate limit is reached',
};

/** "HTTP_503" → "answered 503". What is not known is said as it is. */
export function reasonWords(reason: string | null): string | undefined {
  if (reason === null) return undefined;
  const http = /^HTTP_(\d{3})$/.exec(reason)?.[1];
  return http === undefined ? (REASONS[reason] ?? reason) : `responded with ${http}`;
}
