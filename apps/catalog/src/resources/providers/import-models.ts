import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { z } from 'zod';

import type { Call } from '../../rest/call';
import { isAlias } from '../models/model-names';
import { insertPrice } from '../models/prices';
import { unservedReason } from '../models/unserved-reason';
import { registeredModels } from './discover-models';
import { findProvider } from './find-provider';

type Result = rest.ModelImported['results'][number];

/**
 * Registers models of a provider in one transaction. Registered models stay unchanged, so importing
 * again is a no-op. Models with a taken name, and models that no route can serve, are reported and
 * skipped.
 */
export async function importModels(
  call: Call<typeof rest.importModels>,
): Promise<rest.ModelImported> {
  // Locked, so that imports into one provider run one after the other.
  const provider = await findProvider(call, call.params.providerId, true);
  const registered = await registeredModels(call.db, provider.id);
  const whyUnserved = await unservedReason(call, provider);
  const results: Result[] = [];
  for (const draft of call.body.models) {
    const upstreamModel = draft.upstreamModel.replace(/^models\//, '');
    const name = draft.name ?? upstreamModel;
    const told = { upstreamModel: draft.upstreamModel, name };
    const present = registered.get(upstreamModel);
    if (present !== undefined) {
      results.push({ ...told, outcome: 'EXISTS', modelId: present, message: null });
      continue;
    }
    const message = whyUnserved(draft.type);
    if (message !== undefined) {
      results.push({ ...told, outcome: 'NOT_SERVED', modelId: null, message });
      continue;
    }
    const made = await importOne(call, provider.id, { ...draft, name, upstreamModel });
    if (made.outcome === 'CREATED') registered.set(upstreamModel, made.modelId);
    results.push({ ...told, ...made });
  }
  tellDataPlane(call, provider.id, results);
  const count = (outcome: Result['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const [created, existing] = [count('CREATED'), count('EXISTS')];
  return { created, existing, refused: results.length - created - existing, results };
}

type Made =
  | { outcome: 'CREATED'; modelId: string; message: null }
  | { outcome: 'NAME_TAKEN' | 'NAME_INVALID'; modelId: null; message: string };

const inserted = z.array(z.object({ id: z.string() }));

async function importOne(
  call: Call<typeof rest.importModels>,
  providerId: string,
  draft: rest.ImportedModel & { name: string },
): Promise<Made> {
  const { db, organisation, nowMs, actor } = call;
  const { price, ...fields } = draft;
  const sound = rest.modelSettings.name.safeParse(fields.name);
  if (!sound.success) {
    const [issue] = sound.error.issues;
    const message = `choose another name: ${issue?.message ?? 'not a name'}`;
    return { outcome: 'NAME_INVALID', modelId: null, message };
  }
  if (await isAlias(call, fields.name)) {
    const message = 'an alias of the organisation has this name';
    return { outcome: 'NAME_TAKEN', modelId: null, message };
  }
  const id = uuidv7();
  const rows = inserted.parse(
    await db.query(
      `INSERT INTO model (id, organisation_id, name, provider_id, upstream_model, type,
         context_tokens, default_max_output_tokens, display_name, max_output_tokens, max_tool_calls, status, capabilities)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (organisation_id, name) DO NOTHING RETURNING id`,
      [
        id,
        organisation.id,
        fields.name,
        providerId,
        fields.upstreamModel,
        fields.type,
        fields.contextTokens,
        rest.assumedOutputOf(fields),
        fields.displayName,
        fields.maxOutputTokens,
        fields.maxToolCalls,
        fields.status,
        fields.capabilities === null ? null : JSON.stringify(fields.capabilities),
      ],
    ),
  );
  if (rows.length === 0) {
    const message = 'another model of the organisation has this name';
    return { outcome: 'NAME_TAKEN', modelId: null, message };
  }
  const owner = { organisationId: organisation.id, modelId: id, createdBy: actor.id };
  if (price !== undefined) await insertPrice(db, owner, price, nowMs);
  call.changed({
    action: 'model.create',
    organisationId: organisation.id,
    target: { type: 'model', id },
    after: { ...draft, id, providerId },
  });
  return { outcome: 'CREATED', modelId: id, message: null };
}

/** One audit event and one piece of news for all models, if any were added. */
function tellDataPlane(
  call: Call<typeof rest.importModels>,
  providerId: string,
  results: readonly Result[],
): void {
  const created = results.filter(({ outcome }) => outcome === 'CREATED');
  if (created.length === 0) return;
  const organisationId = call.organisation.id;
  call.changed({
    action: 'model.import',
    organisationId,
    target: { type: 'provider', id: providerId },
    after: { created: created.map(({ name }) => name) },
    news: [{ kind: 'MODEL', organisationId }],
  });
}
