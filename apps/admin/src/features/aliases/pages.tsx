import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Aliases } from './aliases';

export const aliasesPage: OrganisationPage = {
  reads: (ask, { organisationId, me, get }) => {
    const params = { organisationId };
    return [
      ask(rest.listModelAliases, { params, query: listInput(rest.listModelAliases, get) }),
      ...(me.actions.includes('retirements.read')
        ? [ask(rest.listRetirements, { params, query: {} })]
        : []),
    ];
  },
  view: () => <Aliases />,
};
