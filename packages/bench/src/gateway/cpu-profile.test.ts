import { partsOf } from './cpu-profile';

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
});

it('time counts where it is spent or who has called it, and waiting counts nowhere', () => {
  const profile = {
    nodes: [
      node(1, '(root)', '', [2, 3, 6]),
      node(2, '(idle)', ''),
      node(3, 'serve', 'a/pipeline.js', [4]),
      node(4, 'modelTrace', 'a/tracing/model.js', [5]),
      node(5, 'stringify', ''),
      node(6, '(program)', ''),
    ],
    samples: [2, 3, 4, 5, 6, 3],
    timeDeltas: [1_000, 40, 10, 10, 20, 20],
  };
  expect(partsOf(profile, (url) => url.includes('/tracing/'))).toEqual(
    new Map([['modelTrace', expect.closeTo(0.2)]]),
  );
  expect(partsOf({ nodes: [], samples: [], timeDeltas: [] }, () => true).size).toBe(0);
});
