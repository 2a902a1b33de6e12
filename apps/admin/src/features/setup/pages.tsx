import { rest } from '@tollgate/contracts';

import type { WidePage } from '../../server/pages';
import type { Ask } from '../../server/prefetch';
import { COMPLETED, KEYS, MODELS, PROVIDERS } from './queries';
import { SetupGuide } from './setup-guide';

export function setupReads(ask: Ask, me: rest.Me, organisationId: string): Promise<void>[] {
  if (!me.actions.includes('providers.write')) return [];
  const params = { organisationId };
  return [
    ask(rest.listProviders, { params, query: PROVIDERS }),
    ask(rest.listModels, { params, query: MODELS }),
    ask(rest.listApiKeys, { params, query: KEYS }),
    ask(rest.listUsageRecords, { params, query: COMPLETED }),
  ];
}

/** The guide works before there is an organisation, whose creation is then its first step. */
export const platformSetupPage: WidePage = {
  reads: (ask, { me, organisationId }) =>
    organisationId === undefined ? [] : setupReads(ask, me, organisationId),
  view: () => <SetupGuide />,
};

export const setupPage = {
  reads: (ask: Ask, { me, organisationId }: { me: rest.Me; organisationId: string }) =>
    setupReads(ask, me, organisationId),
  view: () => <SetupGuide />,
};
