import { rest } from '@tollgate/contracts';

/** Endpoints whose cached answers a change of a price correction outdates. */
export const CORRECTIONS_STALE = [
  rest.listPriceCorrections.id,
  rest.listPlatformPriceCorrections.id,
  rest.getPriceCorrection.id,
];
