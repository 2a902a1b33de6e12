import { whyUnserved, type ModelType } from '@tollgate/contracts';

import { Organisation } from '../../entities/organisation.entity';
import type { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';

type Served = Pick<Provider, 'upstreamFormat'> & { readonly type: Provider['type'] };

/** Why no route of the organisation can serve a model of this type; undefined when one can. */
export async function unservedReason(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  provider: Served,
): Promise<(type: ModelType) => string | undefined> {
  const { openCompatRoutes } = await db.findOneOrFail(Organisation, {
    select: { id: true, openCompatRoutes: true },
    where: { id: organisation.id },
  });
  const { type: providerType, upstreamFormat } = provider;
  return (type) => whyUnserved({ type, providerType, upstreamFormat }, openCompatRoutes);
}
