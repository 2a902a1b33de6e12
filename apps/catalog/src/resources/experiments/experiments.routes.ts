import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { compare } from './comparison';
import { create, get, list, remove, update } from './experiments';

export const experimentRoutes: Route[] = [
  serve(rest.listExperiments, list),
  serve(rest.createExperiment, create),
  serve(rest.getExperiment, get),
  serve(rest.updateExperiment, update),
  serve(rest.deleteExperiment, remove),
  serve(rest.compareExperiment, compare),
];
