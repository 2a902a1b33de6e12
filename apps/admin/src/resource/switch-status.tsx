import type { rest } from '@tollgate/contracts';

import { Badge } from '../design/badge';

/** Whether a resource that can be switched off is on. */
export function SwitchStatus({ status }: { readonly status: rest.Provider['status'] }) {
  return status === 'ACTIVE' ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>;
}
