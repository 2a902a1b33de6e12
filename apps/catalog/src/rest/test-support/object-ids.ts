import { rest } from '@tollgate/contracts';

import { UserIdentity } from '../../auth/user-identity.entity';
import type { Database } from '../../schema';
import { alertIdsOf } from './alerts';
import type { RestServer } from './rest-server';
import type { Tenant } from './tenant';
import { bookMcpRecord, bookRecord, createInvoice, createQuarantined, createRerate } from './usage';

/** Path parameters by name. */
export type Params = Record<string, string>;

/** A value for every path parameter, within reach of every role that may read it. */
export async function objectIdsOf(
  server: RestServer,
  database: Database,
  tenant: Tenant,
): Promise<Params> {
  return {
    organisationId: tenant.organisationId,
    teamId: tenant.teamId,
    userId: tenant.userIds.USER,
    providerId: tenant.providerId,
    keyId: tenant.providerKeyId,
    modelId: tenant.modelId,
    priceId: tenant.priceId,
    mcpServerId: tenant.mcpServerId,
    apiKeyId: tenant.userKeyId,
    budgetId: tenant.budgetId,
    quotaId: tenant.quotaId,
    rateLimitId: tenant.rateLimitId,
    routingPolicyId: tenant.routingPolicyId,
    modelAliasId: tenant.modelAliasId,
    experimentId: tenant.experimentId,
    usageViewId: tenant.usageViewId,
    priceCorrectionId: tenant.priceCorrectionId,
    screeningPolicyId: tenant.screeningPolicyId,
    screeningServiceId: tenant.screeningServiceId,
    exportDestinationId: tenant.exportDestinationId,
    platformExportDestinationId: await platformDestination(server),
    requestId: await bookRecord(database.orm, tenant, Date.now()),
    mcpRecordId: await bookMcpRecord(database.orm, tenant, Date.now()),
    quarantineId: await createQuarantined(database.orm),
    rerateId: await createRerate(database.orm, tenant.organisationId),
    invoiceId: await createInvoice(database.orm, tenant.organisationId),
    invitationId: await invite(server, tenant),
    sessionId: await sessionOf(server, tenant),
    identityId: await identityOf(server, database, tenant),
    ...(await alertIdsOf(server, database, tenant)),
  };
}

/** A paused destination of the platform: the one there is, because their number is limited. */
async function platformDestination(server: RestServer): Promise<string> {
  const { data } = await server.ok(server.root, rest.listPlatformExportDestinations);
  const [known] = data;
  if (known !== undefined) return known.id;
  const { id } = await server.ok(server.root, rest.createPlatformExportDestination, {
    body: {
      name: 'platform',
      target: { type: 'WEBHOOK', url: 'http://127.0.0.1:9/records' },
      records: ['USAGE', 'AUDIT'],
    },
  });
  const params = { platformExportDestinationId: id };
  const body = { status: 'PAUSED' as const };
  await server.ok(server.root, rest.updatePlatformExportDestination, { params, body });
  return id;
}

async function invite(server: RestServer, tenant: Tenant): Promise<string> {
  const body = { email: 'guest@example.com' };
  const made = await server.ok(tenant.callers.ORG_ADMIN, rest.createInvitation, { body });
  return made.id;
}

/** The session of the tenant's user. */
async function sessionOf(server: RestServer, tenant: Tenant): Promise<string> {
  const { data } = await server.ok(tenant.callers.USER, rest.listOwnSessions);
  const [session] = data;
  if (session === undefined) throw new Error('the user is not signed in');
  return session.id;
}

/** The identity of the tenant's user at a provider. */
async function identityOf(server: RestServer, database: Database, tenant: Tenant): Promise<string> {
  const userId = tenant.userIds.USER;
  const identity = { issuer: 'https://id.example.com', subject: userId, userId };
  await database.orm.manager.insert(UserIdentity, identity);
  const { data } = await server.ok(tenant.callers.USER, rest.listOwnIdentities);
  const [linked] = data;
  if (linked === undefined) throw new Error('the user has no identity');
  return linked.id;
}
