import type { ExtendCounter } from '../../../store';
import { windowOf } from '../../../store/test-support/simulation/fake-catalog';
import { endContent, inTurn, send, type Policy } from './policies';
import { decide, extend, settle, type Allowed, type Extended } from './serving';
import { judge } from './truth';
import {
  after,
  amountOf,
  at,
  isAlive,
  ITEM_DEADLINE_MS,
  LEASE_MS,
  limitOf,
  note,
  oneOf,
  ticket,
  type Request,
  type Session,
  type World,
} from './world';

// Edges: sessions, and the life of a request.

const SILENCE_MS = 1_000;
const HEARTBEAT_MS = 250;
const ASKS_MAX = 3;
const MINUTE_MS = 60_000;
const FULL_AGAIN_MS = 400;

export function openSessions(w: World): void {
  for (const [edge, { alive }] of w.edges.entries()) {
    for (const policy of w.policies) {
      if (!alive || !policy.alive || policy.draining || w.now < policy.frozenUntil) continue;
      if (w.now < policy.edgeCutUntil || sessionOf(w, edge, policy)) continue;
      const id = `${edge}.${policy.name}.${(w.made += 1)}`;
      const open = { openAtEdge: true, openAtPolicy: true, fullUntil: 0 };
      w.sessions.set(id, { id, edge, policy, ...open, heardAt: w.now });
    }
  }
}

const openOf = (w: World, edge: number): Session[] =>
  [...w.sessions.values()].filter((s) => s.edge === edge && s.openAtEdge);

const sessionOf = (w: World, edge: number, policy: Policy): Session | undefined =>
  openOf(w, edge).find((s) => s.policy === policy);

/** Sessions that take items now. */
const freeOf = (w: World, edge: number): Session[] =>
  openOf(w, edge).filter(({ fullUntil }) => w.now >= fullUntil);

/** Now and then a session has no room for a while. */
export function fillSessions(w: World): void {
  const { random } = w;
  after(w, random.below(FULL_AGAIN_MS), () => fillSessions(w));
  const s = oneOf(random, [...w.sessions.values()]);
  if (s === undefined || w.calm) return;
  s.fullUntil = w.now + 1 + random.below(random.chance(0.2) ? 1_500 : 50);
}

/** Policies send a frame now and then; a silent session is closed. */
export function heartbeat(w: World): void {
  after(w, HEARTBEAT_MS, () => heartbeat(w));
  for (const s of w.sessions.values()) {
    if (!s.openAtEdge) continue;
    const responds = s.policy.alive && w.now >= s.policy.frozenUntil;
    if (responds && w.now >= s.policy.edgeCutUntil) s.heardAt = w.now;
    const isSilent = w.now - s.heardAt >= SILENCE_MS && w.without.silence === undefined;
    if (isSilent || !s.policy.alive) closeSession(w, s);
  }
  openSessions(w);
}

/** The edge closes a session, or finds it broken. The policy hears of it when it can. */
export function closeSession(w: World, s: Session): void {
  if (!s.openAtEdge) return;
  s.openAtEdge = false;
  const heard = (): void => {
    s.openAtPolicy = false;
    s.policy.floats.sessionEnded(s.id);
    w.sessions.delete(s.id);
  };
  const told = (): unknown =>
    w.now < s.policy.edgeCutUntil ? at(w, s.policy.edgeCutUntil, told) : inTurn(w, s.policy, heard);
  after(w, 1, told);
  if (!s.policy.alive) w.sessions.delete(s.id);
  for (const r of w.requests) {
    if (r.edge !== s.edge || r.session !== s.id || !isAlive(w, r)) continue;
    if (r.state === 'ASKING') askAgain(w, r);
    if (r.state === 'RUNNING' && r.floatId !== '' && !w.without.adoption) adopt(w, r, s);
    if (r.state === 'ENDED' && r.acked === null) sendEnd(w, r, s);
  }
}

export function adoptNotice(w: World, s: Session, floatId: string): void {
  for (const r of w.requests) {
    if (r.edge !== s.edge || r.state !== 'RUNNING' || !isAlive(w, r)) continue;
    if (r.floatId === floatId) adopt(w, r, s);
  }
}

/** After data loss: everything that is not booked is told again. */
export function tellAgain(w: World): void {
  for (const r of w.requests) {
    if (!isAlive(w, r)) continue;
    if (r.state === 'RUNNING') adopt(w, r, undefined);
    if (r.state === 'ENDED' && !r.booked) {
      r.acked = null;
      r.losses += 1;
      sendEnd(w, r, undefined);
    }
  }
}

export function begin(w: World): void {
  const { random } = w;
  const edge = random.below(w.edges.length);
  if (w.edges[edge]?.alive !== true) return;
  const cost = BigInt(1 + random.below(40));
  const r: Request = {
    id: `r${(w.made += 1)}`,
    edge,
    dimensions: {
      ORGANISATION: 'o1',
      TEAM: '',
      USER: random.pick(['u1', 'u1', 'u2']),
      API_KEY: random.pick(['k1', 'k1', 'k2']),
      MODEL: random.pick(['m1', 'm2']),
      MCP_SERVER: '',
    },
    amounts: { cost, tokens: 1n + cost / 2n },
    state: 'ASKING',
    session: '',
    deadlineMs: 0,
    asks: 0,
    at: 0,
    epoch: 0,
    leaseUntil: 0,
    floatId: '',
    step: 0,
    counters: [],
    end: null,
    spent: { cost: 0n, tokens: 0n },
    acked: null,
    losses: 0,
    booked: false,
    toldAt: undefined,
    startedAt: 0,
    sending: false,
    asked: 0,
    granted: 0,
    took: [],
    strayed: false,
  };
  w.requests.push(r);
  askAgain(w, r);
}

function askAgain(w: World, r: Request): void {
  const others = freeOf(w, r.edge).filter(({ id }) => id !== r.session);
  const s = oneOf(w.random, others);
  if (s === undefined || r.asks >= ASKS_MAX) {
    r.state = 'GAVE_UP';
    return;
  }
  r.session = s.id;
  r.asks += 1;
  r.deadlineMs = w.now + ITEM_DEADLINE_MS;
  const resent = r.asks > 1;
  send(w, s, () =>
    decide(w, s, r, resent, (answer) => {
      const waits = r.state === 'ASKING' && r.session === s.id && w.now <= r.deadlineMs;
      if ('allow' in answer) onAllow(w, r, answer.allow, waits);
      else if (waits && answer.refused) r.state = 'GAVE_UP';
      else if (waits) askAgain(w, r);
    }),
  );
  at(w, r.deadlineMs + 0.01, () => {
    if (r.state === 'ASKING' && r.session === s.id && isAlive(w, r)) askAgain(w, r);
  });
}

function onAllow(w: World, r: Request, allow: Allowed, waits: boolean): void {
  if (!waits && r.state !== 'GAVE_UP') return;
  const { nowMs, leaseUntilMs, floatId, epoch, counters } = allow;
  Object.assign(r, { at: nowMs, leaseUntil: leaseUntilMs, floatId, epoch, counters });
  if (!waits) {
    // Nobody runs it any more.
    r.state = 'ENDED';
    r.end = endContent(w, r, 'CANCELLED', counters, r.amounts);
    sendEnd(w, r, undefined);
    return;
  }
  r.state = 'RUNNING';
  r.startedAt = w.now;
  judge(w, r, counters, nowMs);
  if (w.endless) return;
  const { random } = w;
  after(w, 2 + random.below(random.chance(0.3) ? 4_000 : 200), () => finish(w, r));
  every(w, r, LEASE_MS / 4);
  if (random.chance(0.15)) after(w, 5 + random.below(300), () => grow(w, r));
}

function every(w: World, r: Request, ms: number): void {
  after(w, ms, () => {
    if (r.state !== 'RUNNING' || !isAlive(w, r)) return;
    if (!r.sending) sendExtend(w, r, { more: 0n, except: undefined, adopts: false });
    every(w, r, ms);
  });
}

function grow(w: World, r: Request): void {
  const { random } = w;
  const more = BigInt(2 + random.below(20));
  if (r.state !== 'RUNNING' || !isAlive(w, r)) return;
  if (!r.sending) sendExtend(w, r, { more, except: undefined, adopts: false });
  if (random.chance(0.6)) after(w, 5 + random.below(600), () => grow(w, r));
}

function adopt(w: World, r: Request, except: Session | undefined): void {
  sendExtend(w, r, { more: 0n, except, adopts: true });
}

interface Wish {
  more: bigint;
  except: Session | undefined;
  adopts: boolean;
}

function sessionFor(w: World, r: Request, except: Session | undefined): Session | undefined {
  const free = freeOf(w, r.edge).filter((s) => s !== except && s.policy !== except?.policy);
  const own = free.find(({ id }) => id === r.session);
  if (r.floatId !== '' && own !== undefined && !r.strayed) return own;
  return oneOf(w.random, free);
}

/** As `strayed` of the edge's holds does: Redis must have the hold, and its memory must not extend it. */
function stray(w: World, r: Request, s: Session | undefined): boolean {
  if (r.floatId === '') return false;
  r.strayed ||= s !== undefined && s.id !== r.session;
  return r.strayed;
}

function sendExtend(w: World, r: Request, wish: Wish): void {
  const { more } = wish;
  const s = sessionFor(w, r, wish.except);
  const adopts = wish.adopts || stray(w, r, s);
  const amounts = { cost: r.amounts.cost + more, tokens: r.amounts.tokens + more / 2n };
  const counters = r.counters.map((c): ExtendCounter => {
    const one = limitOf(w, c.limitId);
    return { ...c, base: amountOf(one, r.amounts), total: amountOf(one, amounts) };
  });
  const larger = r.counters.map((c) => ({
    ...c,
    amount: amountOf(limitOf(w, c.limitId), amounts),
  }));
  const previousTicketText = ticket(w, r, r.counters, r.amounts);
  const extension = {
    requestId: r.id,
    leaseMs: LEASE_MS,
    floatId: r.floatId,
    step: more > 0n ? r.step + 1 : r.step,
    previousTicketText,
    ticketText: more > 0n ? ticket(w, r, larger, amounts) : previousTicketText,
    counters,
    adopt: adopts,
    cost: amounts.cost,
  };
  let answered = false;
  const asked = (r.asked += 1);
  if (s !== undefined) {
    r.sending ||= more > 0n;
    send(w, s, () =>
      extend(w, s, r, extension, (outcome) => {
        answered = true;
        if (more > 0n) r.sending = false;
        // A later extension has been granted since.
        if (asked < r.granted || outcome === 'GONE') return;
        if (outcome.granted) r.granted = asked;
        onExtended(w, r, outcome, { more, step: extension.step, amounts, larger });
      }),
    );
  }
  after(w, s === undefined ? 50 : ITEM_DEADLINE_MS, () => {
    if (answered || r.state !== 'RUNNING' || !isAlive(w, r)) return;
    // The next step is another one of the same number.
    if (more > 0n && !adopts && w.random.chance(0.3)) {
      r.sending = false;
      return;
    }
    // A step whose answer is lost may have been taken: the totals are asked for again.
    sendExtend(w, r, { ...wish, except: s });
  });
}

interface Step extends Pick<Request, 'amounts' | 'step'> {
  more: bigint;
  larger: Request['counters'];
}

function onExtended(
  w: World,
  r: Request,
  outcome: Exclude<Extended, 'GONE'>,
  { amounts, larger, more, step }: Step,
): void {
  if (r.state !== 'RUNNING') return;
  r.leaseUntil = Math.max(r.leaseUntil, outcome.leaseUntilMs);
  // A refusal tells nothing of where the hold is: one that had to leave its session is adopted before it goes on.
  if (!outcome.granted && r.floatId !== '' && r.strayed) after(w, 1, () => adopt(w, r, undefined));
  if (outcome.exact && outcome.granted) r.floatId = '';
  if (more === 0n || !outcome.granted) return;
  r.step = step;
  r.amounts = amounts;
  const before = new Map(r.counters.map(({ limitId, amount }) => [limitId, amount]));
  r.counters = larger;
  const plan = w.limits.map(({ limitId }) => limitId);
  // Only counters that the step raises were compared with their limits.
  const raised = larger.filter(({ limitId, amount }) => amount > (before.get(limitId) ?? 0n));
  judge(
    w,
    r,
    raised.filter((c) => goesOn(w, r, c) && plan.includes(c.limitId)),
    // A step within one whose answer was lost was compared with the limits then.
    r.took.find(({ cost }) => cost >= amounts.cost)?.at ?? outcome.leaseUntilMs - LEASE_MS,
  );
}

// A rate has the request for a minute, and not after a loss of data. A window counts a step as long as
// it is the limit's: the counter of a limit with other windows knows nothing of it.
function goesOn(w: World, r: Request, c: Request['counters'][number]): boolean {
  if (c.kind === 'RATE') return r.epoch === w.epoch && r.startedAt > w.now - MINUTE_MS;
  if (c.kind !== 'WINDOW') return false;
  const { windowStartMs, windowEndMs } = windowOf(limitOf(w, c.limitId), w.now);
  return c.windowStartMs === windowStartMs && c.windowEndMs === windowEndMs;
}

export function finish(w: World, r: Request): void {
  if (r.state !== 'RUNNING' || !isAlive(w, r)) return;
  const { random } = w;
  const share = BigInt(random.below(101));
  const { cost, tokens } = r.amounts;
  r.spent = { cost: (cost * share) / 100n, tokens: (tokens * share) / 100n };
  r.state = 'ENDED';
  r.end = endContent(w, r, random.chance(0.15) ? 'CANCELLED' : 'SETTLED', r.counters, r.spent);
  sendEnd(w, r, undefined);
}

function sendEnd(w: World, r: Request, except: Session | undefined): void {
  const { end, losses } = r;
  const s = sessionFor(w, r, except);
  if (end === null) return;
  if (s !== undefined) {
    send(w, s, () =>
      settle(w, s, r, end, (acked) => {
        if (r.acked === null && r.losses === losses) r.acked = acked;
      }),
    );
  }
  after(w, s === undefined ? 50 : ITEM_DEADLINE_MS, () => {
    if (r.acked === null && isAlive(w, r)) sendEnd(w, r, s);
  });
}

/** An edge is killed: its requests are running nowhere. */
export function crashEdge(w: World, edge: number): void {
  const one = w.edges[edge];
  if (one === undefined) return;
  note(w, `edge ${edge} is killed`);
  for (const s of openOf(w, edge)) closeSession(w, s);
  one.alive = false;
  one.generation += 1;
  const index = w.edges.push({ alive: true, generation: 0 });
  note(w, `edge ${index - 1} comes`);
  openSessions(w);
}
