import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Route } from '../../rest/call';
import { create, get, list, remove, update } from './models';
import { addPrice, deletePrice, listPrices, offerCorrection } from './price-history';
import { importPrices } from './price-import';

export const modelRoutes: Route[] = [
  serve(rest.listModels, list),
  serve(rest.createModel, create),
  serve(rest.getModel, get),
  serve(rest.updateModel, update),
  serve(rest.deleteModel, remove),
  serve(rest.listPrices, listPrices),
  serve(rest.addPrice, addPrice),
  serve(rest.deletePrice, deletePrice),
  serveDetached(rest.offerCorrection, offerCorrection),
  serve(rest.importPrices, importPrices),
];
