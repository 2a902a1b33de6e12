import { tenants } from './1-tenants';
import { upstreams } from './2-upstreams';
import { apiKeys } from './3-api-keys';
import { limits } from './4-limits';
import { ledger } from './5-ledger';
import { trail } from './6-trail';
import { modelNames } from './7-model-names';

/** In the order in which they run. A released one is never changed. */
export const migrations = [tenants, upstreams, apiKeys, limits, ledger, trail, modelNames];
