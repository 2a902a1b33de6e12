import { isTierName, SERVICE_TIER_CHARACTERS, tierNames } from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { invalidArgument } from '../failure';

// Bounds of the processing tiers in a message of a calling service, which may know more tiers than this release.

const TIERS_MAX = 8;
const PARAM_MAX = 1_024;
const UPSTREAMS_MAX = 16;

export function checkTiers({ serviceTiers }: AuthorizeRequest__Output): void {
  if (serviceTiers.length > TIERS_MAX) throw invalidArgument('service_tiers: too many');
  for (const { name, param, upstreams } of serviceTiers) {
    if (!isTierName(name)) throw invalidArgument('service_tiers.name: not a tier');
    if (param.length > PARAM_MAX) throw invalidArgument('service_tiers.param: too long');
    if (upstreams.length > UPSTREAMS_MAX) {
      throw invalidArgument('service_tiers.upstreams: too many');
    }
  }
}

export function checkTierText(field: string, text: string): void {
  if (text.length > SERVICE_TIER_CHARACTERS) throw invalidArgument(`${field}: too long`);
  if (!tierNames(text).every(isTierName)) throw invalidArgument(`${field}: not a tier`);
}
