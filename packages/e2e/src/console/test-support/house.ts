import type { rest, Role } from '@tollgate/contracts';

import {
  chat,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  type Account,
  type Gateway,
  type Tenant,
} from '../..';
import {
  KEYS,
  LAST_MONTH,
  NAMES,
  pagesOf,
  type Person,
  type Shown,
  type TeamName,
} from './house-pages';

// An organisation with an item of every kind, each with a unique name and an owner; a second
// organisation; and a user of every role.

export interface House {
  readonly tenant: Tenant;
  readonly elsewhere: Tenant;
  /** The sign-in of each role. */
  readonly accounts: Readonly<Record<Role, Account>>;
  /** By the last part of the page's address. */
  readonly pages: Readonly<Record<string, Shown>>;
}

/** The viewers by role; the super admin belongs to no organisation. */
export const WHO: Readonly<Record<Exclude<Role, 'SUPER_ADMIN'>, Person>> = {
  ORG_ADMIN: 'zora',
  MANAGER: 'mira',
  USER: 'uma',
};
/** The teams that Mira manages. */
export const MANAGED: readonly TeamName[] = ['Falconers'];

const ROLES: Readonly<Record<Person, Role>> = {
  zora: 'ORG_ADMIN',
  mira: 'MANAGER',
  uma: 'USER',
  oscar: 'USER',
};
const PASSWORD = 'correct horse battery staple';

/** Fills an organisation through the public interfaces. */
export async function openHouse(gateway: Gateway): Promise<House> {
  const tenant = await newTenant(gateway, {
    organisation: { name: 'Harbour Company', routingEnabled: true },
    provider: { name: 'Lighthouse upstream' },
  });
  const elsewhere = await newTenant(gateway, {
    organisation: { name: 'Elsewhere Limited' },
    provider: { name: 'Elsewhere upstream' },
  });
  const people = await inhabit(tenant);
  const teams = await gather(tenant, people);
  await equip(gateway, tenant, people, teams);
  await tenant.create('mcp-servers', server('Harbour tickets', 'harbour-tickets'));
  await tenant.create('invoices', { month: LAST_MONTH });
  await tenant.create('price-corrections', {
    modelId: tenant.modelId,
    from: `${LAST_MONTH}-01T00:00:00Z`,
    to: `${LAST_MONTH}-02T00:00:00Z`,
    price: { steps: [{ input: '1', output: '1' }] },
    reason: 'Harbour was billed twice',
  });
  await elsewhere.create('teams', { name: 'Elsewhere team' });
  await tenant.create('model-aliases', {
    name: 'harbour-alias',
    targets: [{ modelId: tenant.modelId }],
  });
  await tenant.create('experiments', {
    name: 'harbour-trial',
    model: 'harbour-alias',
    arms: [{ name: 'control', modelId: tenant.modelId, share: 100 }],
  });
  await tenant.create('routing-policies', {
    name: 'harbour-policy',
    strategy: 'priority',
    candidates: [{ modelId: tenant.modelId }],
  });
  await tenant.create('screening-policies', { identifier: 'harbour', name: 'Harbour rules' });
  await tenant.create('export-destinations', destination('Harbour warehouse'));
  await gateway.rest.post('/api/admin/export-destinations', destination('Pier archive'));
  const { email: adminEmail } = gateway.superAdmin;
  const accountOf = (person: Person): Account => ({
    email: emailOf(tenant, person),
    password: PASSWORD,
  });
  return {
    tenant,
    elsewhere,
    accounts: {
      SUPER_ADMIN: gateway.superAdmin,
      ORG_ADMIN: accountOf(WHO.ORG_ADMIN),
      MANAGER: accountOf(WHO.MANAGER),
      USER: accountOf(WHO.USER),
    },
    pages: pagesOf(adminEmail),
  };
}

const emailOf = ({ slug }: Tenant, person: Person): string => `${person}@${slug}.example`;
const server = (name: string, identifier: string): object => ({
  name,
  identifier,
  url: 'https://mcp.example.com/mcp',
});

/** There are no adjustments, so nothing is delivered. */
const destination = (name: string): object => ({
  name,
  target: { type: 'WEBHOOK', url: 'https://records.example.com/hook' },
  records: ['ADJUSTMENT'],
});

type Ids<Name extends string> = Readonly<Record<Name, string>>;

async function inhabit(tenant: Tenant): Promise<Ids<Person>> {
  const made = async (person: Person): Promise<string> => {
    const user = await tenant.create('users', {
      email: emailOf(tenant, person),
      name: NAMES[person],
      role: ROLES[person],
      password: PASSWORD,
    });
    return user.id;
  };
  return {
    zora: await made('zora'),
    mira: await made('mira'),
    uma: await made('uma'),
    oscar: await made('oscar'),
  };
}

/** Uma is in the Falconers, which Mira manages; Oscar is in the other team. */
async function gather(tenant: Tenant, { mira, uma, oscar }: Ids<Person>): Promise<Ids<TeamName>> {
  const team = async (name: TeamName, members: [string, rest.TeamRole][]): Promise<string> => {
    const { id } = await tenant.create('teams', { name });
    for (const [userId, role] of members) {
      await tenant.create(`teams/${id}/members`, { userId, role });
    }
    return id;
  };
  return {
    Falconers: await team('Falconers', [
      [mira, 'MANAGER'],
      [uma, 'MEMBER'],
    ]),
    Ospreys: await team('Ospreys', [[oscar, 'MEMBER']]),
  };
}

/** Keys with a model each, a budget and a quota on each key's owner, and a request with each. */
async function equip(
  gateway: Gateway,
  tenant: Tenant,
  people: Ids<Person>,
  teams: Ids<TeamName>,
): Promise<void> {
  const requests: string[] = [];
  for (const { key: name, model, usd, requests: limit, team, person } of KEYS) {
    const type = team !== undefined ? 'TEAM' : person !== undefined ? 'USER' : 'ORGANISATION';
    const teamId = team && teams[team];
    const userId = person && people[person];
    const modelIds = [await tenant.model(model, 'sim')];
    const { key } = await tenant.key({ name, modelIds, type, teamId, userId });
    const scope = { type, id: teamId ?? userId ?? tenant.id };
    await tenant.create('budgets', { scope, period: 'MONTHLY', limitUsd: String(usd) });
    await tenant.create('quotas', { scope, metric: 'REQUESTS', period: 'MONTHLY', limit });
    const answer = expectStatus(await chat(gateway.edgeUrl(), key, { model }), 200);
    requests.push(requestIdOf(answer));
  }
  for (const id of requests) await recordOf(gateway, tenant, id);
}
