'use client';

import { useScope } from '../../../shell/scope';

/** Administrators share views; the catalog decides. */
export function useMayShare(): boolean {
  const { role } = useScope().me;
  return role === 'SUPER_ADMIN' || role === 'ORG_ADMIN';
}
