import type { rest } from '@tollgate/contracts';

import type { RestClient, RestInput } from '../api/rest-client';
import type { Question } from './confirm-dialog';

/**
 * A change and its undo. The undo carries the ETag of the change's response, so it fails with 412
 * after somebody else's change instead of overwriting it.
 */
export function reversible<There extends rest.Endpoint, Back extends rest.Endpoint>(
  client: RestClient,
  there: readonly [There, RestInput<There>],
  back: readonly [Back, RestInput<Back>],
  backDone: string,
): Pick<Question, 'run' | 'undo'> {
  let etag: string | undefined;
  return {
    run: async () => {
      ({ etag } = await client.versioned(...there));
    },
    undo: {
      run: () =>
        client.call(back[0], { ...back[1], ...(etag === undefined ? {} : { ifMatch: etag }) }),
      done: backDone,
    },
  };
}
