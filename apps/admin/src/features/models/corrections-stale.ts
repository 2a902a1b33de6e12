import { rest } from '@tollgate/contracts';

/** Endpoints whose cached answers a change of a price correction outdates. An approval starts a re-rating. */
export const CORRECTIONS_STALE = [
  rest.listPriceCorrections.id,
  rest.listPlatformPriceCorrections.id,
  rest.getPriceCorrection.id,
  rest.listRerates.id,
];
