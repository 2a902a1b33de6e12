import type { Allow__Output, Candidate__Output, SettleRequest } from '@tollgate/contracts/node';

import type { FinalUse } from '../operations/background-use';
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
  /** The candidates it was chosen from, to compare its cost. */
  allow: Pick<Allow__Output, 'candidates' | 'routing'>;
  asked: UsageExpectation;
  /** The cost of the attempts before it. */
  sideCharge: Charge | undefined;
}

export interface BackgroundPlace {
  /** Once, when the request ends; a response that is tracked by then has a place of its own. */
  release: () => void;
}

export interface BackgroundKeeper {
  /** Takes the place of one response, before its request is sent. Undefined: none is free. */
  claim: () => BackgroundPlace | undefined;
  keep: (response: BackgroundResponse) => void;
  /** Settles a request whose response another request has found ended. False: it is not tracked here. */
  ended: (requestId: string, final: FinalUse) => boolean;
  waiting: () => number;
  /** Stops tracking; the holds end when their leases expire. */
  stop: () => void;
}
