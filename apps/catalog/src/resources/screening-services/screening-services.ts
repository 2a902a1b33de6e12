import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, rest, restError } from '@tollgate/contracts';
import {
  hashApiKey,
  screeningSecretContext,
  type AddressRules,
  type KeyRing,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { SandboxBusyError, SandboxError, type Sandbox } from '@tollgate/sandbox';

import { ApiKey } from '../../entities/api-key.entity';
import { ScreeningService } from '../../entities/screening-service.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { assertUrl, originOf } from '../../rest/upstream-url';
import { sealedRowSecret } from '../../secrets';
import { askingPolicies, renewAskingPolicies } from './asking-policies';

type Within = Pick<Call, 'db' | 'organisation'>;

export interface ScreeningServiceDeps {
  readonly keyRing: KeyRing;
  /** Private networks that URLs may point into. */
  readonly addressRules: AddressRules;
  /** Loads code before it is saved, and runs it for tests. */
  readonly sandbox: Sandbox;
}

function represent(row: ScreeningService): rest.ScreeningService {
  return {
    id: row.id,
    organisationId: row.organisationId,
    identifier: row.identifier,
    name: row.name,
    url: row.url,
    // An older release saved protocols without fields that have come since.
    protocol: rest.screeningProtocol.parse(row.protocol),
    auth: row.auth,
    region: row.region,
    secretPreview: row.secretPreview,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listScreeningServices>,
): Promise<rest.PageOf<rest.ScreeningService>> {
  const { db, organisation, query } = call;
  const rows = db
    .createQueryBuilder(ScreeningService, 'service')
    .where('service.organisationId = :organisationId', { organisationId: organisation.id });
  if (query.search !== undefined) {
    rows.andWhere('(service.name ILIKE :search OR service.identifier ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<ScreeningService>('service.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'service.name', of: (row) => row.name } },
  });
  return { data: page.rows.map(represent), nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(
  call: Call<typeof rest.getScreeningService>,
): Promise<rest.ScreeningService> {
  return represent(await find(call, call.params.screeningServiceId));
}

export async function create(
  call: Call<typeof rest.createScreeningService>,
  deps: ScreeningServiceDeps,
): Promise<rest.ScreeningService> {
  const { body, db, organisation } = call;
  const organisationId = organisation.id;
  const { identifier, name, protocol, region, secret = null, url = null } = body;
  await assertRoom(call, identifier);
  const auth = authAfter({ type: 'NONE' }, body.auth, secret !== null);
  assertRegion(region, protocol);
  await assertReach(url, protocol, deps, { hasSecret: secret !== null, organisationId });
  const id = uuidv7();
  const sealed = sealedRowSecret(deps.keyRing, screeningSecretContext(id), secret);
  const apiKeyId = await ownKeyId(call, secret);
  const row = { id, organisationId, identifier, name, url, protocol, auth, apiKeyId, region };
  await db.insert(ScreeningService, { ...row, ...sealed });
  await renewAskingPolicies(call);
  const after = represent(await find(call, id));
  noteChange(call, 'create', id, { after });
  return after;
}

export async function update(
  call: Call<typeof rest.updateScreeningService>,
  deps: ScreeningServiceDeps,
): Promise<rest.ScreeningService> {
  const { db, nowMs } = call;
  const id = call.params.screeningServiceId;
  const row = await find(call, id, true);
  const before = represent(row);
  call.expectMatch(before);
  const { secret, ...given } = definedFields(call.body);
  const { protocol = row.protocol, region = row.region, url = row.url } = given;
  assertRegion(region, protocol);
  const hasSecret = secret === undefined ? row.secretKeyId !== null : secret !== null;
  const auth = authAfter(row.auth, given.auth, hasSecret);
  if ((protocol.type === 'JAVASCRIPT') !== (row.protocol.type === 'JAVASCRIPT')) {
    throw invalid('protocol.type', 'code cannot become a service with a URL, nor the reverse');
  }
  if (url !== row.url || !isDeepStrictEqual(protocol, row.protocol) || typeof secret === 'string') {
    const organisationId = call.organisation.id;
    await assertReach(url, protocol, deps, { hasSecret, organisationId });
  }
  if (secret === undefined && row.secretKeyId !== null && originOf(url) !== originOf(row.url)) {
    throw invalid('url', 'the stored secret is for another host: send a new secret, or null');
  }
  const sealed =
    secret === undefined
      ? {}
      : {
          ...sealedRowSecret(deps.keyRing, screeningSecretContext(id), secret),
          apiKeyId: await ownKeyId(call, secret),
        };
  const updatedAt = new Date(nowMs);
  await db.update(ScreeningService, { id }, { ...given, auth, ...sealed, updatedAt });
  const after = represent(await find(call, id));
  if (typeof secret === 'string' || reached(before) !== reached(after)) {
    await renewAskingPolicies(call);
  }
  noteChange(call, 'update', id, { before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteScreeningService>): Promise<void> {
  const id = call.params.screeningServiceId;
  const before = represent(await find(call, id, true));
  call.expectMatch(before);
  const [asking] = await askingPolicies(call, before.identifier);
  if (asking) {
    throw conflict('identifier', `rules of the policy ${asking.identifier} ask this service`);
  }
  await call.db.delete(ScreeningService, { id });
  noteChange(call, 'delete', id, { before });
}

async function find(
  { db, organisation }: Within,
  id: string,
  lock = false,
): Promise<ScreeningService> {
  const found = await db.findOne(ScreeningService, {
    where: { id, organisationId: organisation.id },
    ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

async function assertRoom({ db, organisation }: Within, identifier: string): Promise<void> {
  const organisationId = organisation.id;
  if (await db.existsBy(ScreeningService, { organisationId, identifier })) {
    throw conflict('identifier', 'a screening service of this organisation has this identifier');
  }
  const most = rest.MAX_SCREENING_SERVICES;
  if ((await db.countBy(ScreeningService, { organisationId })) >= most) {
    throw conflict('identifier', `an organisation has at most ${most} screening services`);
  }
}

/** Without one in the body a new secret is sent as a bearer token, and without a secret nothing is sent. */
function authAfter(
  before: rest.ScreeningAuth,
  given: rest.ScreeningAuth | undefined,
  hasSecret: boolean,
): rest.ScreeningAuth {
  if (given === undefined) {
    if (!hasSecret) return { type: 'NONE' };
    return before.type === 'NONE' ? { type: 'BEARER' } : before;
  }
  if (given.type === 'NONE' && hasSecret) {
    throw invalid('auth.type', 'NONE sends no secret: send the secret null with it');
  }
  if (given.type !== 'NONE' && !hasSecret) throw invalid('secret', `auth ${given.type} needs one`);
  return given;
}

function assertRegion(region: string | null, { type }: rest.ScreeningProtocol): void {
  if (type === 'JAVASCRIPT' && region !== null) {
    throw invalid('region', 'JAVASCRIPT has none, because it runs in the gateway');
  }
}

/** Code has no URL and no secret, and is loaded once; everything else has a URL. */
async function assertReach(
  url: string | null,
  protocol: rest.ScreeningProtocol,
  { addressRules, sandbox }: ScreeningServiceDeps,
  { hasSecret, organisationId }: { readonly hasSecret: boolean; readonly organisationId: string },
): Promise<void> {
  if (protocol.type === 'JAVASCRIPT') {
    if (url !== null) throw invalid('url', 'JAVASCRIPT has none');
    if (hasSecret) throw invalid('secret', 'JAVASCRIPT has none');
    return assertCode(protocol.code, organisationId, sandbox);
  }
  if (url === null) throw invalid('url', `${protocol.type} needs one`);
  assertUrl('url', url, addressRules);
  const { pathname, search } = new URL(url);
  if (protocol.type === 'TOLLGATE_GRPC' && (pathname !== '/' || search !== '')) {
    throw invalid('url', 'TOLLGATE_GRPC has no path: send the host and port only');
  }
}

const BUSY = 'The sandbox that checks the code is busy. Send the request again in a moment.';

async function assertCode(
  code: string,
  organisationId: string,
  sandbox: ScreeningServiceDeps['sandbox'],
): Promise<void> {
  try {
    await sandbox.check(organisationId, code);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    if (error instanceof SandboxBusyError) throw restError('dependency_unavailable', BUSY);
    throw invalid('protocol.code', error.message);
  }
}

/** The organisation's own key that the secret is. */
async function ownKeyId(
  { db, organisation }: Within,
  secret: string | null,
): Promise<string | null> {
  if (secret === null) return null;
  const key = await db.findOne(ApiKey, {
    select: { id: true },
    where: { organisationId: organisation.id, keySha256: hashApiKey(secret) },
  });
  return key?.id ?? null;
}

/** What of a service an edge needs. */
function reached({ auth, protocol, secretPreview, url }: rest.ScreeningService): string {
  return canonicalJson({ auth, protocol, secretPreview, url });
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  id: string,
  states: { before?: rest.ScreeningService; after?: rest.ScreeningService },
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action: `screening-service.${verb}`,
    organisationId,
    target: { type: 'screening-service', id },
    ...states,
    news: [{ kind: 'SCREENING_POLICY', organisationId }],
  });
}
