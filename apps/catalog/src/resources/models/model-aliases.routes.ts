import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './model-aliases';
import { listRetirements } from './retirements';

export const modelAliasRoutes: Route[] = [
  serve(rest.listModelAliases, list),
  serve(rest.createModelAlias, create),
  serve(rest.getModelAlias, get),
  serve(rest.updateModelAlias, update),
  serve(rest.deleteModelAlias, remove),
  serve(rest.listRetirements, listRetirements),
];
