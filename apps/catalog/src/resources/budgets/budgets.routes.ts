import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './budgets';

export const budgetRoutes: Route[] = [
  serve(rest.listBudgets, list),
  serve(rest.createBudget, create),
  serve(rest.getBudget, get),
  serve(rest.updateBudget, update),
  serve(rest.deleteBudget, remove),
];
