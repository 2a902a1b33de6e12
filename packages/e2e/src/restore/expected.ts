import type { Drill } from './drill';

export const PHASES = [
  ['beforeMoment', 'before the moment'],
  ['afterMoment', 'after the moment'],
  ['whileAway', 'while PostgreSQL was away'],
  ['afterwards', 'after the restore'],
] as const;

export const usd = (nanoUsd: bigint): string => `$${(Number(nanoUsd) / 1e9).toFixed(9)}`;

/** What differs from docs/operations.md. */
export function differences(drill: Drill): string[] {
  const { lost, served, lostNanoUsd, afterMomentNanoUsd } = drill;
  const found: string[] = [];
  for (const [phase, name] of PHASES) {
    const expected = phase === 'afterMoment' ? served.afterMoment : 0;
    if (lost[phase] !== expected)
      found.push(`${String(lost[phase])} requests ${name} are lost, not ${String(expected)}`);
  }
  if (lostNanoUsd !== afterMomentNanoUsd)
    found.push(`${usd(lostNanoUsd)} are lost, not ${usd(afterMomentNanoUsd)}`);
  if (drill.keyMadeAfter !== 401) found.push('a key made after the moment still works');
  if (drill.keyRevokedAfter !== 200) found.push('a key revoked after the moment is still refused');
  if (!drill.agrees) found.push('ledger:verify does not agree');
  return found;
}
