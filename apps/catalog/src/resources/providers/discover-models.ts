import type { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { knownModel } from '../../known-models/known-models';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { representKnown } from '../models/list-price';
import { findProvider, type ProviderDeps } from './find-provider';
import { hasKeys, keyedUpstreams, keysFor, withUpstreamSlots } from './try-provider';
import { askUpstream } from './upstream/ask-upstream';
import { discoveryWays } from './upstream/model-lists';

/** Lists the models of an upstream, and which of them are registered. */

const DISCOVERY = { timeoutMs: 20_000, maxPages: 10, maxModels: 2_000 } as const;

export async function discover(
  call: Call<typeof rest.discoverModels>,
  deps: ProviderDeps,
): Promise<rest.Discovery> {
  const { db, body } = call;
  const provider = await findProvider(call, call.params.providerId);
  const keys = await keysFor(db, provider, body.keyId);
  if (keys.length === 0 && (await hasKeys(db, provider.id))) {
    throw conflict('keyId', 'the provider has no active key; name the one to use');
  }
  const [one] = keyedUpstreams(deps, provider, keys.slice(0, 1));
  if (one === undefined) throw new Error('discovery uses one key or none');
  const ways = discoveryWays(provider.type, provider.upstreamFormat);
  const limits = { ...DISCOVERY, addressRules: deps.addressRules };
  const asked = await withUpstreamSlots(1, () => askUpstream(one.upstream, ways, limits));
  if (!asked.ok) return { ok: false, failure: asked.failure, data: [], truncated: false };
  const registered = await registeredModels(db, provider.id);
  const listed = new Map(asked.models.map((model) => [model.upstreamModel, model]));
  const data = [...listed.values()]
    .map((model) => {
      const known = knownModel(provider, model.upstreamModel);
      return {
        ...model,
        modelId: registered.get(model.upstreamModel) ?? null,
        known: known === undefined ? null : representKnown(known),
      };
    })
    .filter(({ modelId }) => body.registered || modelId === null)
    .toSorted((a, b) => (a.upstreamModel < b.upstreamModel ? -1 : 1));
  return { ok: true, failure: null, data, truncated: asked.truncated };
}

const rows = z.array(z.object({ id: z.string(), upstreamModel: z.string() }));

/** Model ids of a provider by upstream name; the oldest when several share one. */
export async function registeredModels(
  db: EntityManager,
  providerId: string,
): Promise<Map<string, string>> {
  const found = rows.parse(
    await db.query(
      `SELECT id, regexp_replace(upstream_model, '^models/', '') AS "upstreamModel" FROM model
       WHERE provider_id = $1 AND status <> 'ARCHIVED' ORDER BY id DESC`,
      [providerId],
    ),
  );
  return new Map(found.map(({ id, upstreamModel }) => [upstreamModel, id]));
}
