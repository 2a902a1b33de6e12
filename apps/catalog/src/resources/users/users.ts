import { rest, restError, type Role } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

import { dropResetLinks, endSessions, makeResetLink, type Links, type Passwords } from '../../auth';
import { Organisation } from '../../entities/organisation.entity';
import { User, type UserStatus } from '../../entities/user.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage, type RowsOfPage } from '../../rest/paging';
import { bySpend, joinMonthSpend, monthSpendOf } from '../spend/month-spend';

export function represent(row: User): rest.User {
  return {
    id: row.id,
    organisationId: row.organisationId,
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.status,
    lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Users of one organisation, or of all. */
export type Within = { readonly organisationId: string } | 'everywhere';

type ListQuery =
  Call<typeof rest.listUsers>['query'] | Call<typeof rest.listPlatformUsers>['query'];

export async function list(
  db: EntityManager,
  query: ListQuery,
  narrow: (rows: SelectQueryBuilder<User>) => void,
): Promise<rest.PageOf<rest.User>> {
  const { rows, ...page } = await pageOfUsers(db, query, narrow);
  return { data: rows.map(represent), ...page };
}

/** Users of one organisation, with what they have spent. */
export async function listWithSpend(
  call: Call<typeof rest.listUsers>,
  narrow: (rows: SelectQueryBuilder<User>) => void,
): Promise<rest.PageOf<rest.ListedUser>> {
  const { db, query } = call;
  const { rows, ...page } = await pageOfUsers(db, query, (select) => {
    narrow(select);
    joinMonthSpend(select, call, { owner: 'user_id', id: 'account.id' });
  });
  const ids = rows.map(({ id }) => id);
  const spent = await monthSpendOf(call, 'user_id', ids);
  const data = rows.map((row) => ({ ...represent(row), spentUsd: spent(row.id) }));
  return { data, ...page };
}

async function pageOfUsers(
  db: EntityManager,
  query: ListQuery,
  narrow: (rows: SelectQueryBuilder<User>) => void,
): Promise<RowsOfPage<User>> {
  const rows = db.createQueryBuilder(User, 'account');
  narrow(rows);
  if (query.role !== undefined) rows.andWhere('account.role = :role', { role: query.role });
  if (query.status !== undefined) {
    rows.andWhere('account.status = :status', { status: query.status });
  }
  if (query.search !== undefined) {
    rows.andWhere('(account.name ILIKE :search OR account.email ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<User>('account.id');
  return readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? '-createdAt',
    id,
    keys: {
      createdAt: id,
      name: { column: 'account.name', of: (row) => row.name },
      email: { column: 'account.email', of: (row) => row.email },
      spentUsd: bySpend<User>(),
    },
  });
}

/** A user, or 404. Locked when `lock` is set. */
export async function find(
  db: EntityManager,
  within: Within,
  id: string,
  lock = false,
): Promise<User> {
  const found = await db.findOne(User, {
    where: within === 'everywhere' ? { id } : { id, organisationId: within.organisationId },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly role: Role;
  readonly organisationId: string | null;
}

type Changing = Pick<Call, 'db' | 'actor' | 'nowMs' | 'changed' | 'expectMatch'>;

export async function create(
  call: Changing,
  passwords: Passwords,
  draft: NewUser,
): Promise<rest.User> {
  const { db } = call;
  const { password, ...fields } = draft;
  assertAssignable(call.actor.role, fields.role);
  const { organisationId } = fields;
  if (
    organisationId !== null &&
    !(await db.existsBy(Organisation, { id: organisationId, status: 'ACTIVE' }))
  ) {
    throw invalid('organisationId', 'no such organisation');
  }
  const id = uuidv7();
  await db.insert(User, { id, ...fields, passwordHash: await passwords.hash(password) });
  const after = represent(await db.findOneByOrFail(User, { id }));
  call.changed({ action: 'user.create', organisationId, target: { type: 'user', id }, after });
  return after;
}

export async function update(
  call: Changing,
  within: Within,
  id: string,
  patch: Partial<rest.UserPatch>,
): Promise<rest.User> {
  const { db, actor } = call;
  const row = await find(db, within, id, true);
  const before = represent(row);
  call.expectMatch(before);
  if (patch.role !== undefined && patch.role !== row.role) {
    assertAssignable(actor.role, patch.role);
    if (row.id === actor.id) throw conflict('role', 'you cannot change your own role');
    if (row.organisationId === null)
      throw conflict('role', 'a platform user cannot get another role');
    assertAssignable(actor.role, row.role);
  }
  await db.update(User, { id }, definedFields(patch));
  const after = represent(await db.findOneByOrFail(User, { id }));
  call.changed({
    action: 'user.update',
    organisationId: row.organisationId,
    target: { type: 'user', id },
    before,
    after,
  });
  return after;
}

/** Disabling ends all sessions; the user's keys are refused while disabled. */
export async function setStatus(
  call: Changing,
  within: Within,
  id: string,
  status: UserStatus,
): Promise<rest.User> {
  const { db, actor } = call;
  const row = await find(db, within, id, true);
  const before = represent(row);
  call.expectMatch(before);
  if (row.status === status) return before;
  if (row.id === actor.id) throw restError('conflict', 'You cannot disable your own account.');
  assertAssignable(actor.role, row.role);
  await db.update(User, { id }, { status });
  if (status === 'DISABLED') {
    await dropResetLinks(db, id);
    await endSessions(db, { userId: id }, call.nowMs);
  }
  const after = represent(await db.findOneByOrFail(User, { id }));
  const { organisationId } = row;
  call.changed({
    action: status === 'DISABLED' ? 'user.disable' : 'user.enable',
    organisationId,
    target: { type: 'user', id },
    before,
    after,
    news: organisationId === null ? [] : [{ kind: 'USER', organisationId }],
  });
  return after;
}

export async function setPassword(
  call: Changing,
  passwords: Passwords,
  within: Within,
  id: string,
  password: string,
): Promise<void> {
  const { db } = call;
  const row = await find(db, within, id, true);
  assertAssignable(call.actor.role, row.role);
  await db.update(User, { id }, { passwordHash: await passwords.hash(password) });
  await dropResetLinks(db, id);
  await endSessions(db, { userId: id }, call.nowMs);
  call.changed({
    action: 'user.set-password',
    organisationId: row.organisationId,
    target: { type: 'user', id },
  });
}

/**
 * Creates a link with which the user sets a password. The password and sessions stay until then.
 */
export async function createResetLink(
  call: Changing,
  links: Links,
  within: Within,
  id: string,
): Promise<rest.ResetLink> {
  const row = await find(call.db, within, id, true);
  assertAssignable(call.actor.role, row.role);
  if (row.status !== 'ACTIVE') throw restError('conflict', 'The user is disabled.');
  const made = await makeResetLink(call.db, links, row, call.nowMs);
  call.changed({
    action: 'user.create-reset-link',
    organisationId: row.organisationId,
    target: { type: 'user', id },
    after: { expiresAt: made.expiresAt, mailed: made.link === null },
  });
  return made;
}

/** Refuses acting on, or assigning, a role above those that the caller's own role may assign. */
export function assertAssignable(own: Role, role: Role): void {
  if (!rest.ASSIGNABLE_ROLES[own].includes(role)) throw restError('forbidden');
}
