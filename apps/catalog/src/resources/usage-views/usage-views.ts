import { rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In, type SelectQueryBuilder } from 'typeorm';

import { User } from '../../entities/user.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { lockOrganisation } from '../../rest/lock-organisation';
import { idKey, readPage } from '../../rest/paging';
import { UsageView } from './usage-view.entity';

type Caller = Pick<Call, 'db' | 'organisation' | 'access'>;

/** A user's own views; for administrators the shared ones too. Nobody sees the private views of others. */
function visible(call: Caller): SelectQueryBuilder<UsageView> {
  const { db, organisation, access } = call;
  return db
    .createQueryBuilder(UsageView, 'view')
    .where('view.organisationId = :organisationId', { organisationId: organisation.id })
    .andWhere(
      rest.reachesOrganisation(access.reach)
        ? '(view.userId = :userId OR view.shared)'
        : 'view.userId = :userId',
      { userId: access.userId },
    );
}

export async function list(
  call: Call<typeof rest.listUsageViews>,
): Promise<rest.PageOf<rest.UsageView>> {
  const { query } = call;
  const id = idKey<UsageView>('view.id');
  const page = await readPage(visible(call), {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'view.name', of: (row) => row.name } },
  });
  return {
    data: await represent(call, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function create(call: Call<typeof rest.createUsageView>): Promise<rest.UsageView> {
  const { body, db, organisation, access } = call;
  assertMayShare(call, body.shared);
  await lockOrganisation(call.db, 'usage-views', call.organisation.id);
  await assertRoom(call);
  if (body.shared) await assertRoomForShared(call);
  await assertFree(call, access.userId, body.name);
  const id = uuidv7();
  const { name, parameters, shared } = body;
  const organisationId = organisation.id;
  await db.insert(UsageView, {
    id,
    organisationId,
    userId: access.userId,
    name,
    parameters,
    shared,
  });
  const after = await shownView(call, id);
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(call: Call<typeof rest.updateUsageView>): Promise<rest.UsageView> {
  const { body, db, nowMs } = call;
  const id = call.params.usageViewId;
  assertMayShare(call, body.shared);
  await lockOrganisation(call.db, 'usage-views', call.organisation.id);
  const before = await shownView(call, id);
  if (body.name !== undefined && body.name !== before.name) {
    await assertFree(call, before.userId, body.name);
  }
  if (body.shared === true && !before.shared) await assertRoomForShared(call);
  await db.update(UsageView, { id }, { ...definedFields(body), updatedAt: new Date(nowMs) });
  // An administrator who makes another's view private no longer sees it, but has just changed it.
  const [after] = await represent(call, await db.findBy(UsageView, { id }));
  if (after === undefined) throw restError('not_found');
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteUsageView>): Promise<void> {
  const id = call.params.usageViewId;
  await lockOrganisation(call.db, 'usage-views', call.organisation.id);
  const before = await shownView(call, id);
  await call.db.delete(UsageView, { id });
  noteChange(call, 'delete', id, { before });
}

async function shownView(call: Caller, id: string): Promise<rest.UsageView> {
  const found = await visible(call).andWhere('view.id = :id', { id }).getMany();
  const [view] = await represent(call, found);
  if (view === undefined) throw restError('not_found');
  return view;
}

async function represent({ db }: Caller, rows: readonly UsageView[]): Promise<rest.UsageView[]> {
  const ids = [...new Set(rows.map(({ userId }) => userId))];
  const users = ids.length === 0 ? [] : await db.findBy(User, { id: In(ids) });
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisationId,
    userId: row.userId,
    userName: names.get(row.userId) ?? '',
    name: row.name,
    parameters: row.parameters,
    shared: row.shared,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

function assertMayShare(call: Caller, shared: boolean | undefined): void {
  if (shared === true && !rest.reachesOrganisation(call.access.reach)) {
    throw invalid('shared', 'only administrators share views');
  }
}

async function assertRoom({ db, organisation, access }: Caller): Promise<void> {
  const organisationId = organisation.id;
  const { userId } = access;
  if ((await db.countBy(UsageView, { organisationId, userId })) >= rest.USAGE_VIEWS_OF_USER) {
    const most = String(rest.USAGE_VIEWS_OF_USER);
    throw conflict('name', `you have at most ${most} saved views; delete one first`);
  }
}

/** Private views do not count: nobody else could delete them. */
async function assertRoomForShared({ db, organisation }: Caller): Promise<void> {
  const shared = { organisationId: organisation.id, shared: true };
  if ((await db.countBy(UsageView, shared)) >= rest.USAGE_VIEWS_SHARED) {
    const most = String(rest.USAGE_VIEWS_SHARED);
    throw conflict('shared', `an organisation has at most ${most} shared views; delete one first`);
  }
}

async function assertFree(
  { db, organisation }: Caller,
  userId: string,
  name: string,
): Promise<void> {
  if (await db.existsBy(UsageView, { organisationId: organisation.id, userId, name })) {
    throw conflict('name', 'a saved view of this user has this name');
  }
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.UsageView; after?: rest.UsageView },
): void {
  call.changed({
    action: `usage-view.${verb}`,
    organisationId: call.organisation.id,
    target: { type: 'usage-view', id },
    ...(states.before && { before: toldOf(states.before) }),
    ...(states.after && { after: toldOf(states.after) }),
  });
}

/** What the audit trail has of a view: administrators read it, and a private view is its user's own. */
function toldOf(view: rest.UsageView): rest.UsageView | Pick<rest.UsageView, 'id' | 'shared'> {
  return view.shared ? view : { id: view.id, shared: false };
}
