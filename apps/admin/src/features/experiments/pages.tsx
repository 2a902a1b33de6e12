import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Experiment } from './experiment';
import { Experiments } from './experiments';

export const experimentsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listExperiments, {
      params: { organisationId },
      query: listInput(rest.listExperiments, get),
    }),
  ],
  view: () => <Experiments />,
};

export const experimentPage: OrganisationPage = {
  reads: (ask, { organisationId, path: { id: experimentId = '' } }) => {
    const params = { organisationId, experimentId };
    return [
      ask(rest.getExperiment, { params }),
      ask(rest.compareExperiment, { params, query: {} }),
    ];
  },
  view: ({ path: { id: experimentId = '' } }) => <Experiment experimentId={experimentId} />,
};
