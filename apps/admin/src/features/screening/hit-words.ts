import type { ScreeningAction } from '@tollgate/contracts';

import { plural, showCount, showPart } from '../../format/numbers';

export const PERIODS = [
  { value: '24h', label: 'The last 24 hours' },
  { value: '7d', label: 'The last 7 days' },
  { value: '30d', label: 'The last 30 days' },
] as const;
export type Period = (typeof PERIODS)[number]['value'];

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<Period, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

/** Until the end of this hour, because sums of usage are kept by the hour. */
export function periodOf(period: Period, nowMs: number): { from: string; to: string } {
  const toMs = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS;
  const from = new Date(toMs - HOURS[period] * HOUR_MS);
  return { from: from.toISOString(), to: new Date(toMs).toISOString() };
}

const DONE: Readonly<Record<ScreeningAction, string>> = {
  OBSERVE: 'Would have blocked',
  MASK: 'Masked texts of',
  BLOCK: 'Blocked',
};

interface Counted {
  readonly action: ScreeningAction;
  /** Requests in which the rule found something. */
  readonly found: number;
  /** All requests of the organisation; undefined: unknown. */
  readonly requests: number | undefined;
  /** The part of the requests that the rule looks at. */
  readonly sample: number;
}

/** "Would have blocked 14 of 2,031 requests" */
export function hitWords({ action, found, requests, sample }: Counted): string {
  const words = countWords(action, found, requests);
  return sample < 1 ? `${words}, of which it looks at ${showPart(sample)}` : words;
}

function countWords(action: ScreeningAction, found: number, requests: number | undefined): string {
  const count = showCount(found);
  if (requests === undefined || requests < found)
    return `${DONE[action]} ${plural(found, 'request')}`;
  return `${DONE[action]} ${count} of ${plural(requests, 'request')}`;
}

/** Versions that are named; the newest come first. */
const NAMED_VERSIONS = 3;

/** "v3: 12, v2: 4" */
export function versionWords(
  versions: readonly { readonly version: number; readonly requests: number }[],
): string {
  const named = versions
    .slice(0, NAMED_VERSIONS)
    .map(({ requests, version }) => `v${String(version)}: ${showCount(requests)}`);
  return [...named, ...(versions.length > NAMED_VERSIONS ? ['…'] : [])].join(', ');
}
