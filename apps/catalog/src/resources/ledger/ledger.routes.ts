import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import * as abandoned from './abandoned-holds';
import * as quarantine from './quarantine';

export const ledgerRoutes: Route[] = [
  serve(rest.listQuarantine, quarantine.list),
  serve(rest.getQuarantined, quarantine.get),
  serve(rest.retryQuarantined, quarantine.retry),
  serve(rest.dismissQuarantined, quarantine.dismiss),
  serve(rest.listAbandoned, abandoned.list),
  serve(rest.resolveAbandoned, abandoned.resolve),
];
