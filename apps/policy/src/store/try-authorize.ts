import { failureIn, frameOf } from './batches';
import { authorizeCall, authorizeOutcome, inTime, statesOf, type HoldDeps } from './holds';
import type { AuthorizeItem, AuthorizeOutcome, CounterState } from './items';
import { asAmount, asNumber, asRow, named, type Row } from './replies';

/** What authorize would answer now. Writes nothing; the amounts are those before the request. */
export function tryAuthorize(deps: HoldDeps, item: AuthorizeItem): Promise<AuthorizeOutcome> {
  return inTime(deps, async (aheadMs) => {
    const { keys, args } = frameOf([{ call: authorizeCall(deps, item, aheadMs) }]);
    const [row] = await deps.calls.script('tryAuthorize', keys, args);
    const reply = asRow(row);
    const failure = failureIn(reply);
    if (failure !== undefined) throw failure;
    return outcomeOf(reply, item);
  });
}

function outcomeOf(reply: Row, item: AuthorizeItem): AuthorizeOutcome | number {
  const { counters, ticketText } = item;
  if (reply[0] === 'ALLOW') {
    return {
      kind: 'ALLOW',
      nowMs: asNumber(reply[1]),
      leaseUntilMs: 0,
      ticketText,
      already: false,
      softExceeded: named(reply[2], counters),
      states: withLent(statesOf(reply[3], counters), reply[4]),
    };
  }
  const outcome = authorizeOutcome(reply, item);
  if (typeof outcome === 'number' || outcome.kind !== 'DENY') return outcome;
  return { ...outcome, states: withLent(outcome.states, reply[6]) };
}

function withLent(states: readonly CounterState[], lents: unknown): CounterState[] {
  const amounts = asRow(lents);
  return states.map((state, i) => ({ ...state, lent: asAmount(amounts[i]) }));
}
