import { ACTIVE_EXPERIMENTS_MAX, EXPERIMENTS_MAX, rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { Not } from 'typeorm';

import { Experiment } from '../../entities/experiment.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { assertArms, assertKnownName } from './arms';
import { assertShadow, putBudget, shadowsOf, storedShadow } from './shadow';

type RunningState = Pick<rest.Experiment, 'endsAt' | 'status'>;

function represent(row: Experiment, shadow: rest.ExperimentShadow | undefined): rest.Experiment {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    model: row.model,
    arms: row.arms,
    shadow: shadow ?? null,
    status: row.status,
    startsAt: row.startsAt?.toISOString() ?? null,
    endsAt: row.endsAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

async function representAll(
  call: Pick<Call, 'db' | 'organisation'>,
  rows: readonly Experiment[],
): Promise<rest.Experiment[]> {
  const shadows = await shadowsOf(call, rows);
  return rows.map((row) => represent(row, shadows.get(row.id)));
}

async function representOne(call: Pick<Call, 'db' | 'organisation'>, row: Experiment) {
  return represent(row, (await shadowsOf(call, [row])).get(row.id));
}

export async function list(
  call: Call<typeof rest.listExperiments>,
): Promise<rest.PageOf<rest.Experiment>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(Experiment, 'experiment')
    .where('experiment.organisationId = :organisationId', { organisationId: call.organisation.id });
  if (query.status !== undefined) {
    rows.andWhere('experiment.status = :status', { status: query.status });
  }
  if (query.search !== undefined) {
    rows.andWhere('(experiment.name ILIKE :search OR experiment.model ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<Experiment>('experiment.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'experiment.name', of: (row) => row.name } },
  });
  return {
    data: await representAll(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get(call: Call<typeof rest.getExperiment>): Promise<rest.Experiment> {
  return representOne(call, await findExperiment(call, call.params.experimentId));
}

export async function create(call: Call<typeof rest.createExperiment>): Promise<rest.Experiment> {
  const { body, db, organisation } = call;
  await lockOrganisation(call.db, 'experiments', call.organisation.id);
  if ((await db.countBy(Experiment, { organisationId: organisation.id })) >= EXPERIMENTS_MAX) {
    throw conflict(
      'name',
      `an organisation has at most ${String(EXPERIMENTS_MAX)} experiments: delete old ones`,
    );
  }
  await assertFreeName(call, body.name);
  await assertKnownName(call, body.model);
  await assertArms(call, body.arms);
  await assertShadow(call, body.shadow, body.arms);
  if (body.status === 'ACTIVE') await assertMayRun(call, body.model);
  const id = uuidv7();
  await db.insert(Experiment, {
    id,
    organisationId: organisation.id,
    name: body.name,
    model: body.model,
    arms: body.arms,
    shadow: storedShadow(body.shadow),
    status: body.status,
    startsAt: dateOf(body.startsAt),
    endsAt: dateOf(body.endsAt),
  });
  await putBudget(call, id, body.shadow);
  const after = await representOne(call, await findExperiment(call, id));
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(call: Call<typeof rest.updateExperiment>): Promise<rest.Experiment> {
  const { db, nowMs } = call;
  const id = call.params.experimentId;
  await lockOrganisation(call.db, 'experiments', call.organisation.id);
  const before = await representOne(call, await findExperiment(call, id, true));
  call.expectMatch(before);
  const { arms, endsAt, shadow, startsAt, ...fields } = definedFields(call.body);
  if (fields.name !== undefined && fields.name !== before.name) {
    await assertFreeName(call, fields.name);
  }
  if (arms !== undefined) await assertArms(call, arms, before.arms);
  const dates = {
    startsAt: startsAt === undefined ? before.startsAt : startsAt,
    endsAt: endsAt === undefined ? before.endsAt : endsAt,
  };
  if (!rest.endsAfterStart(dates)) throw invalid('endsAt', 'must be after startsAt');
  if (fields.status === 'ACTIVE' && before.status !== 'ACTIVE') {
    await assertKnownName(call, before.model);
    await assertMayRun(call, before.model);
  }
  // While it was paused or ended, a model of it may have been deleted.
  const again = runsAgain(before, { ...dates, status: fields.status ?? before.status }, nowMs);
  if (again) await assertArms(call, arms ?? before.arms);
  if (shadow !== undefined || arms !== undefined || again) {
    const { shadow: present } = before;
    await assertShadow(
      call,
      shadow === undefined ? present : shadow,
      arms ?? before.arms,
      again ? null : present,
    );
  }
  await db.update(
    Experiment,
    { id },
    {
      ...fields,
      ...(arms === undefined ? {} : { arms }),
      ...(shadow === undefined ? {} : { shadow: storedShadow(shadow) }),
      startsAt: dateOf(dates.startsAt),
      endsAt: dateOf(dates.endsAt),
      updatedAt: new Date(nowMs),
    },
  );
  if (shadow !== undefined) await putBudget(call, id, shadow);
  const after = await representOne(call, await findExperiment(call, id));
  noteChange(call, 'update', id, { before, after });
  return after;
}

function runsAgain(before: RunningState, after: RunningState, nowMs: number): boolean {
  const runs = ({ endsAt, status }: RunningState): boolean =>
    status === 'ACTIVE' && (endsAt === null || Date.parse(endsAt) > nowMs);
  return runs(after) && !runs(before);
}

/** Records keep the id and the arm, so the row is not needed. */
export async function remove(call: Call<typeof rest.deleteExperiment>): Promise<void> {
  const id = call.params.experimentId;
  const before = await representOne(call, await findExperiment(call, id, true));
  call.expectMatch(before);
  await putBudget(call, id, null);
  await call.db.delete(Experiment, { id });
  noteChange(call, 'delete', id, { before });
}

export async function findExperiment(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<Experiment> {
  const found = await call.db.findOne(Experiment, {
    where: { id, organisationId: call.organisation.id },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

async function assertFreeName(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  name: string,
): Promise<void> {
  if (await db.existsBy(Experiment, { organisationId: organisation.id, name })) {
    throw conflict('name', 'an experiment of this organisation has this name');
  }
}

/** Throws if another experiment on the name is active, or too many are. */
async function assertMayRun(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  model: string,
): Promise<void> {
  const active = { organisationId: organisation.id, status: 'ACTIVE' as const };
  const other = await db.findOneBy(Experiment, { ...active, model });
  if (other !== null) {
    throw conflict(
      'model',
      `the experiment "${other.name}" on this name has the status ACTIVE, even if it has ended: pause or delete it first`,
    );
  }
  if ((await db.countBy(Experiment, { ...active, model: Not(model) })) >= ACTIVE_EXPERIMENTS_MAX) {
    throw conflict(
      'status',
      `an organisation has at most ${String(ACTIVE_EXPERIMENTS_MAX)} active experiments`,
    );
  }
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.Experiment; after?: rest.Experiment },
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `experiment.${verb}`,
    organisationId,
    target: { type: 'experiment', id },
    ...states,
    news: [{ kind: 'EXPERIMENT', organisationId }],
  });
}
