import { responseCacheFacts } from './response-cache-facts';

const NONE = { responseCache: null, cachedAgeSeconds: null, cachedCostUsd: null };

test('a request without a cache says nothing of it', () => {
  expect(responseCacheFacts(NONE)).toEqual([]);
});

test('a hit says how old its answer is and what it would have cost', () => {
  const facts = responseCacheFacts({
    responseCache: 'HIT',
    cachedAgeSeconds: 90,
    cachedCostUsd: '0.25',
  });
  expect(facts.map(({ name }) => name)).toEqual([
    'Response cache',
    'Answer kept for',
    'Cost without the cache',
  ]);
});

test('a miss says only that', () => {
  expect(responseCacheFacts({ ...NONE, responseCache: 'MISS' })).toEqual([
    { name: 'Response cache', value: 'No kept answer found' },
  ]);
});
