import type { rest } from '@tollgate/contracts';

import { showCount } from '../../format/numbers';

const NAMED: Partial<Record<rest.Scope['type'], string>> = {
  END_USER: 'end users',
  SESSION: 'sessions',
  TAG: 'tags',
};

/** "3 of 5 API keys in its scope are not trusted to name end users": what a limit on each value does not count. */
export function trustWords({
  scope,
  keysInScope,
}: Pick<rest.Budget, 'scope' | 'keysInScope'>): string | undefined {
  if (keysInScope === undefined) return undefined;
  const { active, trusted } = keysInScope;
  if (active === 0) return 'Counts nothing yet: no active API key is in its scope.';
  if (trusted === active) return undefined;
  const untrusted = `${showCount(active - trusted)} of ${showCount(active)} API ${active === 1 ? 'key' : 'keys'}`;
  const verb = active - trusted === 1 ? 'is' : 'are';
  const names = NAMED[scope.type] ?? 'values';
  const start = trusted === 0 ? 'Counts nothing: ' : '';
  return `${start}${untrusted} in its scope ${verb} not trusted to name ${names}.`;
}

/** The toast for a new limit, with what it does not count. */
export function madeWords(noun: string, limit: Pick<rest.Budget, 'scope' | 'keysInScope'>): string {
  return [`${noun} created.`, trustWords(limit)].filter((words) => words !== undefined).join(' ');
}
