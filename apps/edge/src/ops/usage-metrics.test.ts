import { emptyUsage } from '@tollgate/contracts';
import { createMetrics } from '@tollgate/kit';

import { createUsageMetrics } from './usage-metrics';

test('tokens add up by provider and class, and cost in dollars', async () => {
  const metrics = createMetrics({ service: 'edge' });
  const { used } = createUsageMetrics(metrics);
  used('provider_a', { ...emptyUsage(), input: 10, output: 3 }, 1_500_000_000n);
  used('provider_a', { ...emptyUsage(), input: 5, cacheRead: 7 }, 250_000_000n);
  used('provider_b', emptyUsage(), 0n);

  const samples = (await metrics.text())
    .split('\n')
    .filter((line) => /^tollgate_edge_(tokens|cost)/.test(line));
  expect(samples.toSorted()).toEqual([
    'tollgate_edge_cost_usd_total{provider="provider_a",service="edge"} 1.75',
    'tollgate_edge_tokens_total{provider="provider_a",class="cacheRead",service="edge"} 7',
    'tollgate_edge_tokens_total{provider="provider_a",class="input",service="edge"} 15',
    'tollgate_edge_tokens_total{provider="provider_a",class="output",service="edge"} 3',
  ]);
});
