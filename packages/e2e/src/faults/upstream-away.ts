import { formatUsd } from '@tollgate/contracts';

import { chat, eventually, newTenant } from '../gateway/tenant';
import { ms, type Finding } from './proof';
import type { World } from './world';

const UPSTREAM = 'failure: upstream dead, upstream cut off';

/**
 * An unreachable upstream, and one that interrupts its answer: reported in the format, billed as
 * reported.
 */
export async function upstreamAway(world: World): Promise<Finding> {
  const tenant = await newTenant(world, { upstreamModel: 'sim-tokens-40.cut-after-10' });
  const nobody = await tenant.create('providers', {
    name: 'nobody',
    type: 'PROVIDER_A',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'sk-none',
  });
  const dead = await tenant.model('dead', 'sim', { providerId: nobody.id });
  const { key } = await tenant.key({ modelIds: [tenant.modelId, dead] });
  const [url = ''] = world.edgeUrls;
  // The tenant's shard may be one that was used before Redis was restarted, and has a grace then.
  await eventually('the shard is open', async () => {
    return (await chat(url, key, { model: 'dead' })).status !== 503;
  });
  const started = performance.now();
  const refused = await chat(url, key, { model: 'dead' });
  const took = performance.now() - started;
  const cut = await chat(url, key, { stream: true, max_tokens: 40 });
  const text = String(cut.data);
  const { code } = (refused.data as { error?: { code?: string } }).error ?? {};
  const breaches: string[] = [];
  if (refused.status !== 502 || code !== 'upstream_error') {
    breaches.push(`dead: ${refused.status} ${String(code)}`);
  }
  if (cut.status !== 200 || !text.includes('"error"') || text.includes('[DONE]')) {
    breaches.push(`cut: ${cut.status} without the format's error event`);
    return { name: UPSTREAM, figures: {}, breaches };
  }
  const record = await eventually('the cut one is booked', async () => {
    const { rows } = await world.pool.query<{ outcome: string; quality: string; cost: string }>(
      `SELECT outcome, usage_quality AS quality, cost_nano_usd AS cost FROM usage_record
        WHERE organisation_id = $1 AND model_id = $2`,
      [tenant.id, tenant.modelId],
    );
    return rows[0];
  });
  if (record.outcome !== 'PARTIAL') breaches.push(`cut: booked as ${record.outcome}`);
  return {
    name: UPSTREAM,
    figures: {
      new: `${refused.status} ${String(code)} after ${ms(took)}`,
      running: text.includes('"error"') ? 'error event' : 'none',
      booked: `${record.outcome}, ${record.quality.toLowerCase()}, $${formatUsd(BigInt(record.cost))}`,
    },
    breaches,
  };
}
