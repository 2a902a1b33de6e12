import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { approve, decline } from './decide';
import { create, get, list, listOfPlatform, withdraw } from './price-corrections';

export const priceCorrectionRoutes: Route[] = [
  serve(rest.listPriceCorrections, list),
  serve(rest.createPriceCorrection, create),
  serve(rest.getPriceCorrection, get),
  serve(rest.withdrawPriceCorrection, withdraw),
  serve(rest.listPlatformPriceCorrections, listOfPlatform),
  serve(rest.approvePriceCorrection, approve),
  serve(rest.declinePriceCorrection, decline),
];
