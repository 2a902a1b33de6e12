import type { Seen } from './client';

// An input is one kind of hostile traffic to the edge, and one row of the report.

/** The properties of the gateway under test that an input needs. */
export interface Target {
  readonly port: number;
  readonly goodKey: string;
  /** The current size of the edge's upload files, in bytes. */
  readonly uploadedBytes: () => Promise<number>;
  /** Aborted if the row takes too long or the edge grows too large. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly answers: readonly Seen[];
  /** Breaches that the input detects itself, beyond the limits of every row. */
  readonly breaches?: readonly string[];
}

export interface Input {
  readonly name: string;
  readonly run: (target: Target) => Promise<Outcome>;
}

export const KEY_STATES = ['no key', 'made-up key', 'good key'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Has the form of a real key, so that only a lookup can tell. */
export const MADE_UP_KEY = `tg_${'A'.repeat(43)}`;

/** The header lines with a key of this state. */
export function keyLines(state: KeyState, { goodKey }: Pick<Target, 'goodKey'>): string {
  const lines: Readonly<Record<KeyState, string>> = {
    'no key': '',
    'made-up key': `authorization: Bearer ${MADE_UP_KEY}\r\n`,
    'good key': `authorization: Bearer ${goodKey}\r\n`,
  };
  return lines[state];
}
