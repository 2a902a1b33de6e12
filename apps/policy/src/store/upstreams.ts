import { itemHash, type UpstreamState } from '@tollgate/contracts';

import type { Calls } from './calls';
import { movedKey, rotationKey, upstreamKey } from './keys';
import { asNumber, asRow, asText } from './replies';
import { MODEL_BITS } from './scripts/upstreams';

/** One model at its provider. */
export interface UpstreamRef {
  providerId: string;
  modelId: string;
}

export interface RouteItem {
  shard: number;
  apiKeyId: string;
  policyId: string;
  /** A breaker is probed only when no closed candidate precedes it. */
  strict: boolean;
  /** The reply has the request's turn. */
  rotates: boolean;
  stream: boolean;
  probeMs: number;
  forgetMs: number;
  /** In the order to try. `place`: position in the policy, 0 to 15. */
  candidates: readonly (UpstreamRef & { place: number })[];
  /** The conversation whose order this is; absent: none, or none that is remembered when it moves. */
  conversation?: Conversation;
}

export interface Conversation {
  id: Uint8Array;
  /** How long after its last turn a moved conversation is remembered. */
  keptMs: number;
  /** How many are remembered of one key and policy; beyond it the oldest are forgotten. */
  most: number;
  /** It begins anew, so where it was moved to no longer matters. */
  released: boolean;
}

/**
 * CLOSED: available. PROBE: available to this request alone. OPEN, PROBING (by another request),
 * COOLDOWN: not before `untilMs`.
 */
export type RoutedState = 'CLOSED' | 'PROBE' | 'OPEN' | 'PROBING' | 'COOLDOWN';

export interface UpstreamReading {
  state: RoutedState;
  untilMs: number;
  latencyUs: number | undefined;
  /** How many latencies are in the mean, at most 200. */
  latencies: number;
}

export interface Routed {
  nowMs: number;
  /** In the order of the item's candidates. `latencyUs`: undefined without recent data. */
  states: UpstreamReading[];
  /** This request's number among those with the same candidates; undefined: not requested. */
  turn: Turn | undefined;
  /** The candidate that the conversation was moved to, as an index; undefined: none. */
  moved?: number | undefined;
}
export interface Turn {
  set: string;
  number: number;
}

export type UnrouteItem = Pick<RouteItem, 'shard'> & {
  turn: (Turn & Pick<RouteItem, 'apiKeyId' | 'policyId'>) | undefined;
  /** Removed only while it is still this request's. */
  probe: (UpstreamRef & { untilMs: number }) | undefined;
};

/** When a breaker opens, and for how long. */
export interface BreakerFigures {
  windowMs: number;
  /**
   * It opens at this many failures within the window, if they are also this share of the attempts.
   */
  leastFailures: number;
  failurePercent: number;
  openMs: number;
  /** Closes by itself this long after it could be probed, when nobody has. */
  forgetMs: number;
  cooldownMaxMs: number;
}

export type AttemptedItem = UpstreamRef & {
  shard: number;
  verdict: 'SUCCESS' | 'FAILURE' | 'NEITHER';
  /**
   * The attempt was counted as a success before: a failure now converts it and is not counted
   * twice.
   */
  counted: boolean;
  probe: boolean;
  /** The upstream's own wait; 0: none. */
  waitMs: number;
  stream: boolean;
  latencyUs: number | undefined;
  figures: BreakerFigures;
  /**
   * The conversation to record at this upstream; absent: none. `keptMs` 0 removes the record, so it returns to its
   * first candidate.
   */
  moves?: (Omit<Conversation, 'released'> & Pick<RouteItem, 'apiKeyId' | 'policyId'>) | undefined;
};

export interface Attempted {
  /** Whether the breaker or the cooldown changed. */
  changed: boolean;
  state: UpstreamState;
  nowMs: number;
  /** End of the open state; 0: not open. */
  untilMs: number;
  cooldownUntilMs: number;
  /** Within the window. */
  attempts: number;
  failures: number;
}

const STATES: Readonly<Record<string, RoutedState>> = {
  C: 'CLOSED',
  P: 'PROBE',
  O: 'OPEN',
  B: 'PROBING',
  W: 'COOLDOWN',
};
const BREAKER_STATES: Readonly<Record<string, UpstreamState>> = {
  C: 'CLOSED',
  O: 'OPEN',
  H: 'HALF_OPEN',
};
const VERDICTS = { SUCCESS: 'S', FAILURE: 'F', NEITHER: 'N' } as const;

const flag = (on: boolean): string => (on ? '1' : '0');

export function route(calls: Calls, item: RouteItem): Promise<Routed> {
  return routeBy(calls, 'route', item);
}

/** What route would answer now. Takes neither a turn nor a probe. */
export function tryRoute(calls: Calls, item: RouteItem): Promise<Routed> {
  return routeBy(calls, 'tryRoute', item);
}

async function routeBy(
  calls: Calls,
  script: 'route' | 'tryRoute',
  item: RouteItem,
): Promise<Routed> {
  const { candidates, conversation, shard } = item;
  const reply = await calls.script(
    script,
    [
      rotationKey(item),
      ...candidates.map((candidate) => upstreamKey(shard, candidate)),
      ...(conversation === undefined ? [] : [movedKey(item)]),
    ],
    () => [
      flag(item.strict),
      flag(item.rotates),
      flag(item.stream),
      String(item.probeMs),
      String(item.forgetMs),
      conversation === undefined ? '' : Buffer.from(conversation.id).toString('hex'),
      String(conversation?.keptMs ?? 0),
      flag(conversation?.released === true),
      String(conversation?.most ?? 0),
      ...candidates.map(({ place }) => String(place)),
      ...(conversation === undefined ? [] : candidates.map(bitsOf)),
    ],
  );
  const set = asText(reply[2]);
  const found = asRow(reply[4]);
  const moved = asNumber(reply[5]);
  return {
    nowMs: asNumber(reply[1]),
    moved: moved < 0 ? undefined : moved,
    turn: set === '' ? undefined : { set, number: asNumber(reply[3]) },
    states: candidates.map((_, index) => {
      const [state, untilMs, mean, latencies] = found.slice(index * 4, index * 4 + 4);
      const latencyUs = asNumber(mean);
      return {
        state: known(STATES, state),
        untilMs: asNumber(untilMs),
        latencyUs: latencyUs < 0 ? undefined : latencyUs,
        latencies: asNumber(latencies),
      };
    }),
  };
}

export async function unroute(calls: Calls, item: UnrouteItem): Promise<void> {
  const { turn, probe, shard } = item;
  const keys: string[] = [];
  if (turn !== undefined) keys.push(rotationKey({ shard, ...turn }));
  if (probe !== undefined) keys.push(upstreamKey(shard, probe));
  const [first, ...rest] = keys;
  if (first === undefined) return;
  await calls.script('unroute', [first, ...rest], () => [
    turn?.set ?? '',
    turn === undefined ? '' : String(turn.number),
    String(probe?.untilMs ?? ''),
  ]);
}

export async function attempted(calls: Calls, item: AttemptedItem): Promise<Attempted> {
  const { figures, moves, shard } = item;
  const upstream = upstreamKey(shard, item);
  const keys: [string, ...string[]] = moves
    ? [upstream, movedKey({ shard, ...moves })]
    : [upstream];
  const reply = await calls.script('attempted', keys, () => [
    VERDICTS[item.verdict],
    flag(item.probe),
    String(item.waitMs),
    flag(item.stream),
    String(item.latencyUs ?? -1),
    String(figures.windowMs),
    String(figures.leastFailures),
    String(figures.failurePercent),
    String(figures.openMs),
    String(figures.forgetMs),
    String(figures.cooldownMaxMs),
    flag(item.counted),
    moves === undefined ? '' : Buffer.from(moves.id).toString('hex'),
    String(moves?.keptMs ?? 0),
    String(moves?.most ?? 0),
    moves === undefined ? '' : bitsOf(item),
  ]);
  return {
    changed: reply[1] === '1',
    state: known(BREAKER_STATES, reply[2]),
    nowMs: asNumber(reply[3]),
    untilMs: asNumber(reply[4]),
    cooldownUntilMs: asNumber(reply[5]),
    attempts: asNumber(reply[6]),
    failures: asNumber(reply[7]),
  };
}

function bitsOf({ modelId }: Pick<UpstreamRef, 'modelId'>): string {
  return String(itemHash(modelId) % 2 ** MODEL_BITS);
}

function known<T>(table: Readonly<Record<string, T>>, letter: unknown): T {
  const value = table[asText(letter)];
  if (value === undefined) throw new TypeError(`redis answered ${String(letter)} for a state`);
  return value;
}
