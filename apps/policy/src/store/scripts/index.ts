// The Lua scripts, each atomic on one shard. A line marked `-- guard: <name>` keeps a guarantee; a
// test removes the line and must see the guarantee broken.
import { authorize, tryAuthorize } from './authorize';
import { batchOf, type Frame } from './batch';
import { close } from './close';
import { counters, lending } from './counters';
import { extend } from './extend';
import { forget, grow, recall, recallItems, remember } from './issuers';
import { book, open, seed } from './ledger';
import { post } from './post';
import { prelude, SERVER_TIME } from './prelude';
import { claim, leases, peek } from './read';
import { reclaim } from './reclaim';
import { attempted, route, tryRoute, unroute } from './upstreams';

export const SCRIPT_NAMES = [
  'authorize',
  'tryAuthorize',
  'extend',
  'close',
  'seed',
  'book',
  'open',
  'peek',
  'leases',
  'claim',
  'post',
  'postFull',
  'reclaim',
  'remember',
  'recall',
  'recallItems',
  'grow',
  'forget',
  'route',
  'tryRoute',
  'unroute',
  'attempted',
] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Scripts that serve several calls, with one reply row for each. */
export type BatchedName = 'authorize' | 'close';

export interface Script {
  source: string;
  /**
   * Runs while Redis is out of memory: calls that end requests free memory and must not be refused.
   */
  allowOom: boolean;
  /** Redis refuses its writes. */
  readOnly?: boolean;
}
export type Scripts = Record<ScriptName, Script>;

/**
 * The scripts, with the Lua that reads the time: the server's clock, or a test's. `endedKeptMs`: how
 * long an ended hold is remembered.
 */
export function buildScripts(timeLua: string = SERVER_TIME, endedKeptMs?: number): Scripts {
  const shared = prelude(timeLua, endedKeptMs);
  const whole = (body: string, allowOom = false): Script => ({
    source: shared + body,
    allowOom,
  });
  const batch = (body: string, frame: Frame, allowOom = false): Script => ({
    source: shared + counters + lending + batchOf(body, frame),
    allowOom,
  });
  const readOnly = (script: Script): Script => ({ ...script, readOnly: true });
  const authorizeFrame: Frame = { keys: 2, common: 5, ofCounter: 5, ofRequest: 2 };
  return {
    authorize: batch(authorize, authorizeFrame),
    tryAuthorize: readOnly(batch(tryAuthorize, authorizeFrame)),
    extend: whole(lending + extend, true),
    close: batch(close, { keys: 4, common: 2, ofCounter: 3, ofRequest: 10 }, true),
    seed: whole(seed),
    book: whole(book, true),
    open: whole(open),
    peek: whole(peek),
    leases: whole(leases),
    claim: whole(claim),
    post: whole(post),
    // The same where Redis is out of memory: what has ended must be reported.
    postFull: whole(post, true),
    reclaim: whole(reclaim, true),
    remember: whole(remember),
    recall: whole(recall),
    recallItems: whole(recallItems),
    grow: whole(grow),
    forget: whole(forget, true),
    route: whole(route),
    tryRoute: readOnly(whole(tryRoute)),
    unroute: whole(unroute),
    attempted: whole(attempted),
  };
}
