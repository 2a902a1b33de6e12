// What numbers of calling services may be.

import { MAX_NANO_USD } from '@tollgate/contracts';

import { invalidArgument, type Failure } from '../failure';

export const TOKENS_MAX = 1_000_000_000;

/** @throws Failure `INVALID_ARGUMENT` */
export function within(field: string, value: number, max: number): void {
  if (!isWithin(value, max)) throw outside(field, max);
}

export function isWithin(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max;
}

export function outside(field: string, max: number): Failure {
  return invalidArgument(`${field}: must be a whole number from 0 to ${String(max)}`);
}

/** @throws Failure `INVALID_ARGUMENT` */
export function money(field: string, text: string): void {
  if (!/^\d{1,16}$/.test(text) || BigInt(text) > MAX_NANO_USD) {
    throw invalidArgument(`${field}: must be a whole number of nano-USD`);
  }
}

/** @throws Failure `INVALID_ARGUMENT` */
export function checkTurn(turn: {
  readonly addedTokens: number;
  readonly assumedTokens: number;
  readonly readTokens: number;
}): void {
  within('added_tokens', turn.addedTokens, TOKENS_MAX);
  within('assumed_tokens', turn.assumedTokens, TOKENS_MAX);
  within('read_tokens', turn.readTokens, TOKENS_MAX);
}
