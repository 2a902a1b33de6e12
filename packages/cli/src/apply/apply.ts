import { randomUUID } from 'node:crypto';
import { ApiError, type rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { Api } from '../api/management-api';
import type { Document } from '../documents/read';
import type { Existing, Installation } from '../installation/read';
import { bodyFor, patchFor, secretOf, type BodyNames } from '../kinds/body';
import {
  keyOf,
  titleOf,
  type Identity,
  type Kind,
  type PartChange,
  type Place,
  type Values,
} from '../kinds/index';
import type { Plan, Step } from '../plan/plan';
import { topOf } from '../plan/plan-object';
import { createIdTable, type IdTable } from './ids';

/**
 * Carries out a plan, one call at a time. A step that fails is told, and those that need its object
 * are left out; the others go on, and a second run does the rest.
 */

export interface KeySink {
  write(key: { identity: Identity; id: string; secret: string }): Promise<void>;
}

export interface Outcome {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Applying {
  readonly api: Api;
  readonly installation: Installation;
  readonly keys: KeySink;
  readonly tell: (line: string) => void;
}

const DONE = { create: 'created', update: 'changed', delete: 'deleted' } as const;

interface Late {
  readonly identity: Identity;
  readonly change: PartChange;
  readonly params: Params;
}

type Params = Readonly<Record<string, string>>;

interface Run extends Applying {
  readonly ids: IdTable;
  /** Changes that would refuse others, such as suspending an organisation. */
  readonly late: Late[];
}

export async function applyPlan(plan: Plan, applying: Applying): Promise<Outcome> {
  const run: Run = { ...applying, ids: createIdTable(applying.installation), late: [] };
  const failed = new Set<string>();
  const counts = { done: 0, failed: 0, skipped: 0 };
  let stopped: string | undefined;
  const attempt = async (identity: Identity, what: string, work: () => Promise<void>) => {
    try {
      await work();
      counts.done += 1;
      applying.tell(`${what} ${titleOf(identity)}`);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof StepError)) throw error;
      failed.add(keyOf(identity));
      counts.failed += 1;
      applying.tell(`FAILED ${titleOf(identity)}: ${wordsOf(error)}`);
      if (error instanceof ApiError && (error.status === 0 || error.status === 401)) {
        stopped = 'the installation does not answer any more';
      }
    }
  };
  for (const step of plan.steps) {
    const reason = stopped ?? reasonToSkip(step, failed);
    if (reason === undefined)
      await attempt(step.identity, DONE[step.action], () => perform(run, step));
    else {
      counts.skipped += 1;
      failed.add(keyOf(step.identity));
      applying.tell(`not tried ${titleOf(step.identity)}: ${reason}`);
    }
  }
  for (const { identity, change, params } of run.late) {
    if (stopped !== undefined) counts.skipped += 1;
    else {
      const ids = run.ids.of(identity.organisation);
      await attempt(identity, `changed ${change.path} of`, () => change.run(run.api, params, ids));
    }
  }
  return counts;
}

/** A failure of one step that is not the installation's answer. */
class StepError extends Error {
  override readonly name = 'StepError';
}

function reasonToSkip({ action, document, identity }: Step, failed: ReadonlySet<string>) {
  // An object is deleted only when everything that might replace it is there.
  if (action === 'delete') return failed.size === 0 ? undefined : 'a step before it failed';
  const { organisation } = identity;
  const needed: Identity[] = (document?.kind.references(document.spec) ?? []).map((named) => ({
    organisation,
    kind: named.kind,
    name: named.name,
    ordinal: named.ordinal,
  }));
  if (organisation !== null) {
    needed.unshift({ kind: 'Organisation', organisation: null, name: organisation, ordinal: 1 });
  }
  const missing = needed.find((one) => failed.has(keyOf(one)));
  return missing === undefined ? undefined : `needs ${titleOf(missing)}`;
}

function wordsOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const details = error.details.map(({ path, message }) => `${path}: ${message}`);
  const id = error.requestId === undefined ? [] : [`request ${error.requestId}`];
  return [error.message, ...details, ...id].join('; ');
}

const placeOf = ({ ids, installation }: Run, slug: string | null): Place => ({
  organisation: slug === null ? null : { id: ids.of(slug).organisationId ?? '', slug },
  platform: installation.platform,
});

function paramsOf(step: Step, place: Place, id: string): Params {
  const kind = step.document?.kind ?? step.existing?.kind;
  return {
    ...(place.organisation === null ? {} : { organisationId: place.organisation.id }),
    ...(kind === undefined ? {} : { [idParameterOf(kind, place)]: id }),
  };
}

function idParameterOf({ idParameter, platformIdParameter }: Kind, place: Place): string {
  return place.organisation === null ? (platformIdParameter ?? idParameter) : idParameter;
}

async function perform(run: Run, step: Step): Promise<void> {
  const place = placeOf(run, step.identity.organisation);
  if (step.action === 'create') return create(run, step, place);
  if (step.existing === undefined) throw new Error(`${titleOf(step.identity)} is not there`);
  const params = paramsOf(step, place, step.existing.id);
  if (step.action === 'update') return update(run, step, place, params);
  const { remove } = step.existing.kind.operations(place);
  if (remove !== undefined) await run.api.ask(remove, { params });
}

const created = z.looseObject({ id: z.string().optional(), key: z.string().optional() });

function read(answer: unknown) {
  const { id, key: secret } = created.parse(answer);
  return { id, secret };
}

async function create(run: Run, step: Step, place: Place): Promise<void> {
  const { api, ids } = run;
  const { document, identity, parts } = step;
  if (document === undefined) throw new Error(`${titleOf(identity)} has no document`);
  const { kind, spec, resolve } = document;
  const endpoint = kind.operations(place).create;
  const known = ids.of(identity.organisation);
  const body = bodyFor(kind, endpoint, spec, { ids: known, name: identity.name, resolve });
  const organisationId = place.organisation?.id;
  const answer = await api.ask(endpoint, {
    params: organisationId === undefined ? {} : { organisationId },
    body,
    ...(endpoint.idempotent ? { idempotencyKey: randomUUID() } : {}),
  });
  const { id = organisationId ?? '', secret } = kind.created?.(answer.value) ?? read(answer.value);
  ids.add(identity, id);
  if (kind.showsSecret?.(spec) === true && secret !== undefined) {
    await run.keys.write({ identity, id, secret });
  }
  await change(run, identity, parts, paramsOf(step, place, id));
}

async function update(run: Run, step: Step, place: Place, params: Params): Promise<void> {
  const { document, existing, identity, fields, sendsSecret, parts } = step;
  if (document === undefined || existing === undefined)
    throw new Error('an update without its object');
  const { kind, resolve } = document;
  const { update: endpoint, get } = kind.operations(place);
  if (endpoint !== undefined && fields.length + Number(sendsSecret) > 0) {
    const ifMatch = get === undefined ? undefined : await unchangedTag(run, step, get, params);
    const names = { ids: run.ids.of(identity.organisation), name: identity.name, resolve };
    await run.api.ask(endpoint, {
      params,
      body: changeBody(step, endpoint, document, existing, names),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
  }
  await change(run, identity, parts, params);
}

/** PUT replaces everything, so it also sends what the document does not give. */
function changeBody(
  { fields, sendsSecret }: Step,
  endpoint: rest.Endpoint,
  { kind, spec }: Document,
  existing: Existing,
  names: BodyNames,
): Values {
  if (endpoint.method === 'PUT') {
    return bodyFor(kind, endpoint, { ...existing.spec, ...spec }, names);
  }
  const body = bodyFor(kind, endpoint, spec, names);
  const secret = sendsSecret ? secretOf(kind, spec, names.resolve) : {};
  return { ...patchFor(kind, endpoint, new Set(fields.map(topOf)), body), ...secret };
}

/** The tag of the object, if it is still the one that the plan was made for. */
async function unchangedTag(
  { api }: Run,
  { existing }: Step,
  get: rest.Endpoint,
  params: Params,
): Promise<string | undefined> {
  const { value, etag } = await api.ask(get, { params });
  const before = existing?.kind.changedAt?.(existing.row);
  const { updatedAt } = z.looseObject({ updatedAt: z.string().nullable() }).parse(value);
  if (before === undefined || updatedAt === before) return etag;
  throw new StepError('has been changed since it was read; run the command again');
}

async function change(
  { api, ids, late }: Run,
  identity: Identity,
  parts: readonly PartChange[],
  params: Params,
): Promise<void> {
  for (const part of parts) {
    if (part.last === true) late.push({ identity, change: part, params });
    else await part.run(api, params, ids.of(identity.organisation));
  }
}
