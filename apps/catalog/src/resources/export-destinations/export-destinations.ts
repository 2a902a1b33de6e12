import { rest, restError } from '@tollgate/contracts';
import { exportSecretContext, type AddressRules, type KeyRing } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';

import { transactionOf } from '../../db';
import { ExportBatch, ExportDestination, objectUrl, placeCursors } from '../../exports';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readByAge, readPage } from '../../rest/paging';
import { assertUrl } from '../../rest/upstream-url';
import { sealedRowSecret } from '../../secrets';
import { isWebhookSecret, newWebhookSecret } from '../../webhooks';
import { representAll, representBatch } from './represent';

/** Export destinations of one owner: an organisation, or the platform (null). */

export interface ExportDestinationDeps {
  readonly keyRing: KeyRing;
  /** Private networks that targets may point into. */
  readonly addressRules: AddressRules;
}

/** The owner, and a destination of it. */
type Owner = string | null;
interface Place {
  readonly owner: Owner;
  readonly id: string;
}
type Within = Pick<Call, 'db' | 'nowMs' | 'changed'>;

export async function list(
  { db, query }: Pick<Call<typeof rest.listExportDestinations>, 'db' | 'query'>,
  owner: Owner,
): Promise<rest.PageOf<rest.ExportDestination>> {
  const rows = db.createQueryBuilder(ExportDestination, 'destination');
  if (owner === null) rows.where('destination.organisationId IS NULL');
  else rows.where('destination.organisationId = :owner', { owner });
  if (query.search !== undefined) {
    rows.andWhere('destination.name ILIKE :search', { search: likePattern(query.search) });
  }
  const id = idKey<ExportDestination>('destination.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'destination.name', of: (row) => row.name } },
  });
  return {
    data: await representAll(db, page.rows),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

export async function get({ db }: Pick<Call, 'db'>, place: Place): Promise<rest.ExportDestination> {
  return representOne(db, await find(db, place));
}

export async function deliveries(
  { db, query }: Pick<Call<typeof rest.listExportDeliveries>, 'db' | 'query'>,
  place: Place,
): Promise<rest.PageOf<rest.ExportBatch>> {
  const { id: destinationId } = await find(db, place);
  const rows = db
    .createQueryBuilder(ExportBatch, 'batch')
    .select(PLAIN_COLUMNS.map((name) => `batch.${name}`))
    .where('batch.destinationId = :destinationId', { destinationId });
  const page = await readByAge(rows, query, idKey<ExportBatch>('batch.id'), 'number');
  return {
    data: page.rows.map(representBatch),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
}

/** Without the payload. */
const PLAIN_COLUMNS = [
  'id',
  'number',
  'record',
  'status',
  'rowCount',
  'byteCount',
  'attempts',
  'lastStatus',
  'lastError',
  'createdAt',
  'deliveredAt',
] as const satisfies readonly (keyof ExportBatch)[];

const DEFAULT_INTERVAL_SECONDS = { WEBHOOK: 5, S3: 300 } as const;

export async function create(
  call: Within & Pick<Call<typeof rest.createExportDestination>, 'body'>,
  owner: Owner,
  deps: ExportDestinationDeps,
): Promise<rest.ExportDestinationCreated> {
  const { db, body, nowMs } = call;
  const { name, target, records, maxRows, status } = body;
  await assertRoom(db, owner);
  assertTarget(target, deps);
  const generated =
    body.secret === undefined && target.type === 'WEBHOOK' ? newWebhookSecret() : null;
  const secret = body.secret ?? generated;
  if (secret === null) throw invalid('secret', 'S3 needs the secret access key');
  assertSecret(target, secret);
  const id = uuidv7();
  const startFrom = body.startFrom === null ? null : new Date(body.startFrom);
  await db.insert(ExportDestination, {
    id,
    organisationId: owner,
    name,
    target,
    records,
    startFrom,
    maxRows,
    status,
    intervalSeconds: body.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS[target.type],
    nextAttemptAt: new Date(nowMs),
    ...sealedRowSecret(deps.keyRing, exportSecretContext(id), secret),
  });
  await placeCursors(await transactionOf(db), id, records, { startFrom, nowMs });
  const after = await representOne(db, await find(db, { owner, id }));
  noteChange(call, owner, 'create', id, { after });
  return { ...after, secret: generated };
}

export async function update(
  call: Within & Pick<Call<typeof rest.updateExportDestination>, 'body' | 'expectMatch'>,
  place: Place,
  deps: ExportDestinationDeps,
): Promise<rest.ExportDestination> {
  const { db, nowMs } = call;
  const { owner, id } = place;
  const row = await find(db, place, true);
  const before = await representOne(db, row);
  call.expectMatch(before);
  const { secret, ...given } = definedFields(call.body);
  const { target = row.target } = given;
  if (target.type !== row.target.type) {
    throw invalid('target.type', 'never changes: add another destination instead');
  }
  if (given.target !== undefined) assertTarget(target, deps);
  if (secret === undefined && keyOf(target) !== keyOf(row.target)) {
    throw invalid('secret', 'the stored secret belongs to the former access key: send both');
  }
  if (secret !== undefined) assertSecret(target, secret);
  const sealed =
    secret === undefined ? {} : sealedRowSecret(deps.keyRing, exportSecretContext(id), secret);
  const resumed =
    given.status === 'ACTIVE' && row.status !== 'ACTIVE' ? { failures: 0, failingSince: null } : {};
  await db.update(
    ExportDestination,
    { id },
    {
      ...given,
      ...sealed,
      ...resumed,
      nextAttemptAt: nextAttempt(row, nowMs),
      updatedAt: new Date(nowMs),
    },
  );
  if (given.records !== undefined) {
    await placeCursors(await transactionOf(db), id, given.records, { startFrom: null, nowMs });
  }
  const after = await representOne(db, await find(db, { owner, id }));
  noteChange(call, owner, 'update', id, { before, after });
  return after;
}

export async function remove(
  call: Within & Pick<Call, 'expectMatch'>,
  place: Place,
): Promise<void> {
  const { db } = call;
  const { owner, id } = place;
  const before = await representOne(db, await find(db, place, true));
  call.expectMatch(before);
  await db.delete(ExportDestination, { id });
  noteChange(call, owner, 'delete', id, { before });
}

/** The destination; 404 when it is another owner's. */
export async function find(
  db: EntityManager,
  { owner, id }: Place,
  lock = false,
): Promise<ExportDestination> {
  const found = await db.findOne(ExportDestination, {
    where: { id, ...ownedBy(owner) },
    ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

function ownedBy(owner: Owner): FindOptionsWhere<ExportDestination> {
  return { organisationId: owner ?? IsNull() };
}

async function representOne(
  db: EntityManager,
  row: ExportDestination,
): Promise<rest.ExportDestination> {
  const [one] = await representAll(db, [row]);
  if (one === undefined) throw restError('not_found');
  return one;
}

async function assertRoom(db: EntityManager, owner: Owner): Promise<void> {
  const most = rest.MAX_EXPORT_DESTINATIONS;
  if ((await db.countBy(ExportDestination, ownedBy(owner))) >= most) {
    throw conflict('name', `there are at most ${most} export destinations`);
  }
}

function assertTarget(target: rest.ExportTarget, { addressRules }: ExportDestinationDeps): void {
  if (target.type === 'WEBHOOK') assertUrl('target.url', target.url, addressRules);
  else assertUrl('target.endpoint', new URL(objectUrl(target, '')).origin, addressRules);
}

function assertSecret(target: rest.ExportTarget, secret: string): void {
  if (target.type === 'WEBHOOK' && !isWebhookSecret(secret)) {
    throw invalid('secret', 'a webhook is signed with 24 to 64 bytes in base64, after whsec_');
  }
}

const keyOf = (target: rest.ExportTarget): string =>
  target.type === 'S3' ? target.accessKeyId : '';

/** At once, unless a worker is at it: it would not be the only one then. */
function nextAttempt({ lease, nextAttemptAt }: ExportDestination, nowMs: number): Date {
  return lease !== null && nextAttemptAt.getTime() > nowMs ? nextAttemptAt : new Date(nowMs);
}

type State = rest.ExportDestination;

/** Without how deliveries go, which is no change of an administrator. */
function settingsOf(state: State): Omit<State, 'delivery'> {
  const { delivery: _, ...settings } = state;
  return settings;
}

function noteChange(
  call: Pick<Call, 'changed'>,
  owner: Owner,
  verb: 'create' | 'update' | 'delete',
  id: string,
  { before, after }: { before?: State; after?: State },
): void {
  call.changed({
    action: `export-destination.${verb}`,
    organisationId: owner,
    target: { type: 'export-destination', id },
    ...(before === undefined ? {} : { before: settingsOf(before) }),
    ...(after === undefined ? {} : { after: settingsOf(after) }),
  });
}
