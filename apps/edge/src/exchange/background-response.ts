import type { Candidate__Output, SettleRequest } from '@tollgate/contracts/node';
import type { Hold } from '../policy';
import type { UsageExpectation } from './plausible-usage';
import type { Charge } from './exchange';

/** A response that its provider generates after it has answered. */
export type BackgroundResponse = {
  responseId: string;
  hold: Hold;
  /** What is known of its request, without what it has taken. */
  settle: SettleRequest;
  candidate: Candidate__Output;
  asked: UsageExpectation;
  /** What attempts before it have cost. */
  sideCharge: Charge | undefined;
};

export type BackgroundKeeper = {
  /** Whether one more can be waited for. */
  hasRoom: () => boolean;
  keep: (response: BackgroundResponse) => void;
  waiting: () => number;
  /** Leaves all holds to their leases. */
  stop: () => void;
};
