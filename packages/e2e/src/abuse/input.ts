import type { Seen } from './client';

// An input is one hostile thing that is done to the edge; a row of the report.

/** What an input needs to know of the gateway that it is sent to. */
export interface Target {
  readonly port: number;
  readonly goodKey: string;
  /** Bytes of uploads that the edge has in files at this moment. */
  readonly uploadedBytes: () => Promise<number>;
  /** Aborted when the row has taken too long or the edge has grown too large. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly answers: readonly Seen[];
  /** What is wrong beside the limits that hold for every row. */
  readonly breaches?: readonly string[];
}

export interface Input {
  readonly name: string;
  readonly run: (target: Target) => Promise<Outcome>;
}

export const KEY_STATES = ['no key', 'made-up key', 'good key'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Has the shape of a real key, so that only a look-up can tell. */
export const MADE_UP_KEY = `tg_${'A'.repeat(43)}`;

/** The header lines that carry a key of this state. */
export function keyLines(state: KeyState, { goodKey }: Pick<Target, 'goodKey'>): string {
  const lines: Readonly<Record<KeyState, string>> = {
    'no key': '',
    'made-up key': `authorization: Bearer ${MADE_UP_KEY}\r\n`,
    'good key': `authorization: Bearer ${goodKey}\r\n`,
  };
  return lines[state];
}
