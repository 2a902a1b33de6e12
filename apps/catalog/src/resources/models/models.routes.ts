import { rest } from '@tollgate/contracts';
import { serve, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './models';
import { addPrice, listPrices } from './prices';

export const modelRoutes: Route[] = [
  serve(rest.listModels, list),
  serve(rest.createModel, create),
  serve(rest.getModel, get),
  serve(rest.updateModel, update),
  serve(rest.deleteModel, remove),
  serve(rest.listPrices, listPrices),
  serve(rest.addPrice, addPrice),
];
