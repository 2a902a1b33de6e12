import type { Ended } from '../floats';
import { KEPT_BY } from '../store';
import type { HeldTicket } from './hold-token';
import { dropUntold } from './untold';

function bench(dropped: Promise<Ended> | undefined) {
  const added: unknown[] = [];
  const held = { ticket: { shard: 7, candidates: [] } } as unknown as HeldTicket;
  const deps = {
    floats: { drop: () => dropped },
    orphans: { add: (...orphan: unknown[]) => void added.push(orphan) },
    giveBacks: { give: () => undefined },
    onReleased: () => void added.push('released'),
  };
  dropUntold(deps, 'r1', held);
  return { added, held };
}

test('what leaves the memory at once leaves nothing to cancel', () => {
  expect(bench(undefined).added).toEqual(['released']);
});

test('what a post under way keeps is cancelled, but not a hold of another call', async () => {
  const kept = Promise.resolve({ kind: 'EXACT' } as const);
  const { added, held } = bench(kept);
  await kept;
  expect(added).toEqual([['r1', held.ticket, KEPT_BY]]);
});
