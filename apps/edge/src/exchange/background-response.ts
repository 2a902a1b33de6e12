import type { Candidate__Output, SettleRequest } from '@tollgate/contracts/node';

import type { Hold } from '../policy';
import type { Charge } from './exchange';
import type { UsageExpectation } from './plausible-usage';

/** A response that its provider continues to generate after it answered. */
export interface BackgroundResponse {
  responseId: string;
  hold: Hold;
  /** The settle message without its consumption, which is not known yet. */
  settle: SettleRequest;
  candidate: Candidate__Output;
  asked: UsageExpectation;
  /** The cost of the attempts before it. */
  sideCharge: Charge | undefined;
}

export interface BackgroundKeeper {
  /** Whether another response can be tracked. */
  hasRoom: () => boolean;
  keep: (response: BackgroundResponse) => void;
  waiting: () => number;
  /** Stops tracking; the holds end when their leases expire. */
  stop: () => void;
}
