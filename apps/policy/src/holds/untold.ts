import type { Floats } from '../floats';
import type { GiveBacks } from '../routing';
import { KEPT_BY } from '../store';
import type { HeldTicket } from './hold-token';
import type { Orphans } from './orphans';
import { giveBackProbe } from './settle';

export interface UntoldDeps {
  readonly floats: Pick<Floats, 'drop'>;
  readonly orphans: Pick<Orphans, 'add'>;
  readonly giveBacks: Pick<GiveBacks, 'give'>;
  /** A hold that this process has allowed is gone. */
  readonly onReleased: () => void;
}

/**
 * Its answer was never written: the request leaves the memory without a mark, because its edge may
 * have asked another policy for it.
 */
export function dropUntold(deps: UntoldDeps, requestId: string, { ticket }: HeldTicket): void {
  const kept = deps.floats.drop(ticket.shard, requestId);
  if (kept === undefined) {
    deps.onReleased();
    giveBackProbe(deps.giveBacks, ticket, []);
    return;
  }
  // A post under way makes it an ordinary hold, unless another policy has taken one by then.
  void kept.then(() => deps.orphans.add(requestId, ticket, KEPT_BY));
}
