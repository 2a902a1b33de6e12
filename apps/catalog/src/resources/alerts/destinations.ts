import { rest, restError } from '@tollgate/contracts';
import { alertDestinationContext, type AddressRules, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

import { AlertDestination } from '../../entities/alert-destination.entity';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, readPage } from '../../rest/paging';
import { assertUrl } from '../../rest/upstream-url';
import { sealedRowSecret } from '../../secrets';
import { newWebhookSecret } from '../../webhooks';
import { ownedBy, ownerOf, type Within } from './owner';

export interface DestinationDeps {
  readonly keyRing: KeyRing;
  /** Private networks that URLs may point into. */
  readonly addressRules: AddressRules;
  /** Whether the installation has a mail server. */
  readonly mail: boolean;
}

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly total?: 'true' | undefined;
  readonly sort?: 'createdAt' | '-createdAt' | 'name' | '-name' | undefined;
}

function represent(row: AlertDestination): rest.AlertDestination {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    kind: row.kind,
    email: row.email,
    url: row.url,
    secretPreview: row.secretPreview,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(call: Within, query: Page): Promise<rest.PageOf<rest.AlertDestination>> {
  const rows = destinationsOf(call.db, ownerOf(call));
  const id = idKey<AlertDestination>('destination.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'destination.name', of: (row) => row.name } },
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(call: Within, id: string): Promise<rest.AlertDestination> {
  return represent(await findDestination(call.db, ownerOf(call), id));
}

export async function create(
  call: Within,
  body: rest.AlertDestinationCreate,
  deps: DestinationDeps,
): Promise<rest.AlertDestinationSecret> {
  const { db } = call;
  await assertRoom(call);
  assertReach(body, deps);
  const id = uuidv7();
  const secret = body.kind === 'WEBHOOK' ? newWebhookSecret() : null;
  const sealed = body.kind === 'SLACK' ? body.url : secret;
  await db.insert(AlertDestination, {
    id,
    organisationId: ownerOf(call),
    name: body.name,
    kind: body.kind,
    email: body.kind === 'EMAIL' ? body.email : null,
    url: body.kind === 'WEBHOOK' ? body.url : null,
    ...sealedRowSecret(deps.keyRing, alertDestinationContext(id), sealed),
  });
  const after = represent(await findDestination(call.db, ownerOf(call), id));
  noteChange(call, 'create', id, { after });
  return { destination: after, secret };
}

export async function update(
  call: Within,
  id: string,
  body: z.output<typeof rest.alertDestinationPatch>,
  deps: DestinationDeps,
): Promise<rest.AlertDestination> {
  const row = await findDestination(call.db, ownerOf(call), id, true);
  const before = represent(row);
  call.expectMatch(before);
  const { url, email, ...given } = definedFields(body);
  if (email !== undefined) {
    if (row.kind !== 'EMAIL') throw invalid('email', `a destination of kind ${row.kind} has none`);
    Object.assign(given, { email });
  }
  if (url !== undefined) {
    if (row.kind === 'EMAIL') throw invalid('url', 'a destination of kind EMAIL has none');
    assertUrl('url', url, deps.addressRules);
    const sealed = sealedRowSecret(deps.keyRing, alertDestinationContext(id), url);
    Object.assign(given, row.kind === 'SLACK' ? sealed : { url });
  }
  await call.db.update(AlertDestination, { id }, { ...given, updatedAt: new Date(call.nowMs) });
  const after = represent(await findDestination(call.db, ownerOf(call), id));
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Within, id: string): Promise<void> {
  const before = represent(await findDestination(call.db, ownerOf(call), id, true));
  call.expectMatch(before);
  await call.db.delete(AlertDestination, { id });
  noteChange(call, 'delete', id, { before });
}

export async function rotateSecret(
  call: Within,
  id: string,
  { keyRing }: DestinationDeps,
): Promise<rest.AlertDestinationSecret> {
  const row = await findDestination(call.db, ownerOf(call), id, true);
  if (row.kind !== 'WEBHOOK') {
    throw conflict('kind', `a destination of kind ${row.kind} has no signing secret`);
  }
  const secret = newWebhookSecret();
  await call.db.update(
    AlertDestination,
    { id },
    {
      ...sealedRowSecret(keyRing, alertDestinationContext(id), secret),
      updatedAt: new Date(call.nowMs),
    },
  );
  const destination = represent(await findDestination(call.db, ownerOf(call), id));
  noteChange(call, 'rotate-secret', id, { before: represent(row), after: destination });
  return { destination, secret };
}

export async function findDestination(
  db: EntityManager,
  owner: string | null,
  id: string,
  lock = false,
): Promise<AlertDestination> {
  const query = destinationsOf(db, owner).andWhere('destination.id = :id', { id });
  const found = await (lock ? query.setLock('pessimistic_write') : query).getOne();
  if (found === null) throw restError('not_found');
  return found;
}

function destinationsOf(db: EntityManager, owner: string | null) {
  return db
    .createQueryBuilder(AlertDestination, 'destination')
    .where(ownedBy('destination', owner), { owner });
}

/** Throws 422 for an id that is not a destination of the same owner. */
export async function assertDestinations(call: Within, ids: readonly string[]): Promise<void> {
  if (new Set(ids).size !== ids.length) throw invalid('destinationIds', 'each destination once');
  const known = await destinationsOf(call.db, ownerOf(call))
    .select('destination.id')
    .andWhere('destination.id = ANY(:ids::uuid[])', { ids: [...ids] })
    .getMany();
  const found = new Set(known.map(({ id }) => id));
  const at = ids.findIndex((id) => !found.has(id.toLowerCase()));
  if (at >= 0) throw invalid(`destinationIds[${at}]`, 'there is no such destination');
}

async function assertRoom(call: Within): Promise<void> {
  const count = await destinationsOf(call.db, ownerOf(call)).getCount();
  const most = rest.MAX_ALERT_DESTINATIONS;
  if (count >= most) throw conflict('name', `there are at most ${most} alert destinations`);
}

function assertReach(body: rest.AlertDestinationCreate, deps: DestinationDeps): void {
  if (body.kind !== 'EMAIL') assertUrl('url', body.url, deps.addressRules);
  else if (!deps.mail) {
    throw invalid('kind', 'this installation sends no mail: SMTP_URL is not set');
  }
}

function noteChange(
  call: Within,
  verb: 'create' | 'update' | 'delete' | 'rotate-secret',
  id: string,
  states: { before?: rest.AlertDestination; after?: rest.AlertDestination },
): void {
  call.changed({
    action: `alert-destination.${verb}`,
    organisationId: ownerOf(call),
    target: { type: 'alert-destination', id },
    ...states,
  });
}
