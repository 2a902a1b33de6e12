import { rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import type { RestClient } from '../../api/rest-client';
import { withReads } from '../../server/prefetch';
import { Account } from './account';

/** The same in every scope: it shows the signed-in user. */
export function accountPage(client: RestClient): Promise<ReactNode> {
  return withReads(
    client,
    (ask) => [ask(rest.listOwnIdentities, {}), ask(rest.listOwnSessions, {})],
    <Account />,
  );
}
