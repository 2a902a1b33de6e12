// A request to policy on its way through a session, and its possible results.

import type {
  AuthorizeRequest,
  ConfirmKeyRequest,
  ExtendRequest,
  SessionFailure__Output,
  SessionResult__Output,
  SettleRequest,
} from '@tollgate/contracts/node';

export type Payload =
  | { kind: 'authorize'; message: AuthorizeRequest }
  | { kind: 'extend'; message: ExtendRequest }
  | { kind: 'settle'; message: SettleRequest }
  | { kind: 'confirmKey'; message: ConfirmKeyRequest };

/** A session as items know it: the one that decided a hold from a float takes its further items. */
export interface ItemSession {
  /** False: the session takes no items any more, or is full. */
  send: (item: Item) => boolean;
  /** The policy process at the other end; '' until it has named a float, and once the session is closed. */
  process: () => string;
}

export interface Reply {
  result: SessionResult__Output;
  session: ItemSession;
}

type Failure = Pick<SessionFailure__Output, 'code' | 'message' | 'dependency'>;

export type Answer = ({ ok: true } & Reply) | { ok: false; failure: Failure };

/**
 * An item is answered exactly once through `answered`: by policy, by its deadline, or because no
 * session is open. A later reply goes to `late`.
 */
export interface Item {
  payload: Payload;
  /** The deadline, on the monotonic clock. */
  readonly dueMs: number;
  /** When the item was last sent, on the monotonic clock; 0: never. */
  sentMs: number;
  waiting: boolean;
  answered: (answer: Answer) => void;
  late: (reply: Reply) => void;
  /** Takes the item if it can; otherwise another session does, one to the same process first. */
  readonly via?: ItemSession | undefined;
  /**
   * Called when neither `via` nor another known session of its process takes the item. Returns the process that gets it
   * only if no other one can take it; undefined: as `avoid` says.
   */
  readonly strayed?: (() => string | undefined) | undefined;
  /** A policy process that gets the item only if no other one can take it. */
  readonly avoid?: string | undefined;
}

/** What the owner of an item decides about it. */
export type Asked = Pick<Item, 'answered' | 'late' | 'via' | 'strayed' | 'avoid'>;

export type Ask = (payload: Payload, deadlineMs: number, asked: Asked) => void;

export function settleItem(item: Item, answer: Answer): void {
  if (item.waiting) {
    item.waiting = false;
    item.answered(answer);
  } else if (answer.ok) {
    item.late(answer);
  }
}

export const AWAY: Answer = {
  ok: false,
  failure: { code: 'UNAVAILABLE', message: 'no session to policy is open', dependency: 'policy' },
};

export const TOO_LATE: Answer = {
  ok: false,
  failure: {
    code: 'DEADLINE_EXCEEDED',
    message: 'policy did not answer in time',
    dependency: 'policy',
  },
};

/**
 * Whether a failure means that policy is asked too much. The ledger of one shard that is full waits for catalog: other
 * shards need not be asked less for that.
 */
export function tooBusy({ code, dependency }: Failure): boolean {
  return code === 'DEADLINE_EXCEEDED' || (code === 'RESOURCE_EXHAUSTED' && dependency === 'policy');
}
