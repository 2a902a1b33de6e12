import type { BatchedName } from './scripts';

// Which calls of a shard share a script, and when it leaves.

export interface Lanes<Call> {
  /** Calls of a shard with the same `sameFor` may share a script. */
  add(name: BatchedName, shard: number, sameFor: string, call: Call): void;
}

/** Calls that may share a script. */
interface Group<Call> {
  readonly sameFor: string;
  readonly calls: Call[];
}

type Groups<Call> = Record<BatchedName, Group<Call>[]>;

/** The calls of one shard: those that wait, and how many were sent and not answered yet. */
interface Lane<Call> {
  groups: Groups<Call>;
  waiting: boolean;
  /** Leaves at the end of this turn. */
  leaving: boolean;
  unanswered: number;
  /** Rises when overdue scripts are given up: their answers change nothing then. */
  era: number;
  sentAtMs: number;
}

/** Largest batch of one script: Redis serves nothing else while a script runs. */
const BATCH_MAX = 32;
/** With fewer unanswered calls of a shard the next one leaves at once: low load never waits. */
const UNANSWERED_FEW = 4;
/** Scripts that take longer are not waited for: each call keeps its own deadline at the server. */
const AWAITED_MAX_MS = 20;
// Closes run before authorizes, so that released amounts are available to new holds.
const ORDER: readonly BatchedName[] = ['close', 'authorize'];

/**
 * Calls of one event-loop turn leave together, at once while few calls of the shard are unanswered.
 * Otherwise they wait for the answers: under load batches grow, and a script for sixteen calls costs
 * each of them half of what a script for four does. `send` never rejects.
 */
export function createLanes<Call>(
  send: (name: BatchedName, batch: readonly Call[]) => Promise<void>,
): Lanes<Call> {
  const lanes: (Lane<Call> | undefined)[] = [];
  let leaving: Lane<Call>[] = [];
  let watching: NodeJS.Timeout | undefined;

  const leaveIfFew = (lane: Lane<Call>): void => {
    if (!lane.waiting || lane.leaving) return;
    if (lane.unanswered >= UNANSWERED_FEW) {
      watching ??= setTimeout(releaseOverdue, AWAITED_MAX_MS);
      return;
    }
    lane.leaving = true;
    leaving.push(lane);
    if (leaving.length === 1) setImmediate(sendLeaving);
  };

  const sendLeaving = (): void => {
    const lanesToSend = leaving;
    leaving = [];
    for (const lane of lanesToSend) sendLane(lane);
  };

  const sendLane = (lane: Lane<Call>): void => {
    const { groups, era } = lane;
    Object.assign(lane, { groups: emptyGroups(), waiting: false, leaving: false });
    lane.sentAtMs = performance.now();
    for (const name of ORDER) {
      for (const { calls } of groups[name]) {
        for (let from = 0; from < calls.length; from += BATCH_MAX) {
          const batch = calls.slice(from, from + BATCH_MAX);
          lane.unanswered += batch.length;
          void send(name, batch).then(() => {
            if (lane.era !== era) return;
            lane.unanswered -= batch.length;
            leaveIfFew(lane);
          });
        }
      }
    }
  };

  // A server that is stopped or overloaded answers late or never.
  const releaseOverdue = (): void => {
    watching = undefined;
    const overdueMs = performance.now() - AWAITED_MAX_MS;
    for (const lane of lanes) {
      if (lane === undefined || !lane.waiting) continue;
      if (lane.sentAtMs <= overdueMs) {
        lane.era += 1;
        lane.unanswered = 0;
      }
      leaveIfFew(lane);
    }
  };

  return {
    add: (name, shard, sameFor, call) => {
      const lane = (lanes[shard] ??= emptyLane());
      callsOf(lane.groups[name], sameFor).push(call);
      lane.waiting = true;
      leaveIfFew(lane);
    },
  };
}

function emptyLane<Call>(): Lane<Call> {
  const groups = emptyGroups<Call>();
  return { groups, waiting: false, leaving: false, unanswered: 0, era: 0, sentAtMs: 0 };
}

// Fresh lists for every send: nothing that lives on refers to the calls that left.
function emptyGroups<Call>(): Groups<Call> {
  return { close: [], authorize: [] };
}

// Nearly always there is one group: callers differ in it only around a change of epoch or clock.
function callsOf<Call>(groups: Group<Call>[], sameFor: string): Call[] {
  const known = groups.find((group) => group.sameFor === sameFor);
  if (known !== undefined) return known.calls;
  const calls: Call[] = [];
  groups.push({ sameFor, calls });
  return calls;
}
