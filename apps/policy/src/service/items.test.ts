import { createItems, type ItemsDeps } from './items';

test.each([['orphan'], ['giveBack']] as const)(
  'an allow of a float whose caller does not wait is no open hold: %s',
  (how) => {
    let open = 1;
    const orphans: string[] = [];
    const items = createItems({
      metrics: { holdsOpen: { inc: () => (open += 1), dec: () => (open -= 1) } },
      clock: { now: () => 0 },
      onOrphan: (requestId: string) => orphans.push(requestId),
    } as unknown as ItemsDeps);
    items[how]('r1', { allow: { floatId: 'p.1', holdToken: Buffer.from('hold') } });
    expect([open, orphans]).toEqual([0, ['r1']]);
  },
);
