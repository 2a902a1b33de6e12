'use client';

import { rest } from '@tollgate/contracts';

import { useRest } from '../api/provider';
import { shown } from '../api/rest-client';
import { useToast } from '../design/toast';
import { forgetObjects } from './palette/recent';
import { paths } from './paths';

/** Ends the session. What the browser remembers of opened objects is removed. */
export function useSignOut(): () => Promise<void> {
  const client = useRest();
  const say = useToast();
  return async () => {
    try {
      await client.call(rest.logout, {});
      forgetObjects();
      // A full page load clears all data from memory.
      location.assign(paths.login());
    } catch (error) {
      say(`Sign-out failed: ${shown(error).message}`);
    }
  };
}
