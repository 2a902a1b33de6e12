import type { SessionReply, SessionRequest__Output } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import type { Failure } from '../failure';
import type { BookedMarks } from '../ledger';
import type { Reports } from '../routing';
import type { EdgeRefusals } from './edge-refusals';
import type { Items } from './items';
import type { SessionFloatDeps } from './session-floats';

/** The part of grpc-js's duplex call that a session uses. */
export interface SessionCall {
  readonly on: ((event: 'data', listener: (frame: SessionRequest__Output) => void) => unknown) &
    ((event: 'end' | 'drain' | 'cancelled', listener: () => void) => unknown) &
    ((event: 'error', listener: (error: Error) => void) => unknown);
  readonly write: (frame: SessionReply) => boolean;
  readonly end: () => void;
  readonly fail: (failure: Failure) => void;
}

export interface SessionDeps {
  readonly items: Items;
  readonly bookedMarks: BookedMarks;
  readonly reports: Pick<Reports, 'take'>;
  readonly edgeRefusals: EdgeRefusals;
  /** Shards that have lost data, as this process finds out. */
  readonly onReopened: (listener: (shard: number, epoch: number) => void) => () => void;
  /** Absent: nothing is decided from memory. */
  readonly sessionFloats?: SessionFloatDeps | undefined;
  readonly itemDeadlineMs: number;
  /** Most unanswered items. */
  readonly window: number;
  readonly clock: Clock;
  /** Measures item deadlines; does not advance while the process is blocked. */
  readonly loopClock: Clock;
  readonly log: Logger;
}
