import type { rest, Role } from '@tollgate/contracts';

import {
  chat,
  expectStatus,
  newTenant,
  recordOf,
  requestIdOf,
  type Gateway,
  type Tenant,
} from '../..';
import type { Account } from './visitor';

// An organisation with an item of every kind, each with a unique name and an owner; a second
// organisation; and a user of every role.

export type Person = 'zora' | 'mira' | 'uma' | 'oscar';
export type TeamName = 'Falconers' | 'Ospreys';

/** An item that a page shows. */
export interface Row {
  /** Its text on the page. */
  readonly name: string;
  /** Its text in the data, where that differs. */
  readonly raw?: string;
  /** It belongs to the other organisation. */
  readonly elsewhere?: true;
  readonly people?: readonly Person[];
  readonly teams?: readonly TeamName[];
  /** The name is not secret: a role that may not see the row may read it elsewhere. */
  readonly common?: true;
}

export interface Shown {
  /** The permission to read the page; its reach determines which rows are visible. */
  readonly action: rest.Action;
  readonly rows: readonly Row[];
  /** The button that creates an item, with its permission. */
  readonly make?: { readonly button: string; readonly action: rest.Action };
}

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

const NAMES: Readonly<Record<Person, string>> = {
  zora: 'Zora Quill',
  mira: 'Mira Vane',
  uma: 'Uma Thistle',
  oscar: 'Oscar Bramble',
};
const ROLES: Readonly<Record<Person, Role>> = {
  zora: 'ORG_ADMIN',
  mira: 'MANAGER',
  uma: 'USER',
  oscar: 'USER',
};
const PASSWORD = 'correct horse battery staple';

/** The owner of a key, its own model, and the limits of its owner. */
const KEYS: readonly {
  readonly key: string;
  readonly model: string;
  readonly usd: number;
  readonly requests: number;
  readonly team?: TeamName;
  readonly person?: Person;
}[] = [
  { key: 'harbour key', model: 'alder', usd: 7411.25, requests: 741_101 },
  { key: 'falcon key', model: 'birch', usd: 7422.25, requests: 742_201, team: 'Falconers' },
  { key: 'thistle key', model: 'cedar', usd: 7433.25, requests: 743_301, person: 'uma' },
  { key: 'bramble key', model: 'dogwood', usd: 7444.25, requests: 744_401, person: 'oscar' },
];

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
  await elsewhere.create('teams', { name: 'Elsewhere team' });
  await tenant.create('routing-policies', {
    name: 'harbour-policy',
    strategy: 'priority',
    candidates: [{ modelId: tenant.modelId }],
  });
  const { adminEmail } = gateway.stack.layout;
  const accountOf = (person: Person): Account => ({
    email: emailOf(tenant, person),
    password: PASSWORD,
  });
  return {
    tenant,
    elsewhere,
    accounts: {
      SUPER_ADMIN: { email: adminEmail, password: gateway.state.secrets.adminPassword },
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

const LAST_MONTH = (() => {
  const last = new Date();
  last.setUTCDate(0);
  return last.toISOString().slice(0, 7);
})();

const COUNT = new Intl.NumberFormat('en-US');
const MONTH = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A row for each key, visible with the same reach as its owner. */
function ofOwners(rowOf: (key: (typeof KEYS)[number]) => Row): readonly Row[] {
  return KEYS.map((key) => ({
    ...rowOf(key),
    ...(key.team && { teams: [key.team] }),
    ...(key.person && { people: [key.person] }),
  }));
}

function pagesOf(superAdmin: string): Readonly<Record<string, Shown>> {
  // A model's name is visible to everybody; its usage is not.
  const used: Shown = {
    action: 'usage.read',
    rows: ofOwners(({ model }) => ({ name: model, common: true })),
  };
  const harbour = { name: 'Harbour Company', common: true } as const;
  return {
    dashboard: used,
    organisations: {
      action: 'platform.organisations.read',
      rows: [harbour, { name: 'Elsewhere Limited' }],
      make: { button: 'Create organisation', action: 'platform.organisations.write' },
    },
    providers: {
      action: 'providers.read',
      rows: [{ name: 'Lighthouse upstream' }, { name: 'Elsewhere upstream', elsewhere: true }],
      make: { button: 'Add provider', action: 'providers.write' },
    },
    models: {
      action: 'models.read',
      rows: KEYS.map(({ model }) => ({ name: model })),
      make: { button: 'Create model', action: 'models.write' },
    },
    'mcp-servers': {
      action: 'mcp-servers.read',
      rows: [{ name: 'Harbour tickets' }],
      make: { button: 'Add MCP server', action: 'mcp-servers.write' },
    },
    teams: {
      action: 'teams.read',
      rows: [
        { name: 'Falconers', people: ['mira', 'uma'] },
        { name: 'Ospreys', people: ['oscar'] },
        { name: 'Elsewhere team', elsewhere: true },
      ],
      make: { button: 'Create team', action: 'teams.write' },
    },
    users: {
      action: 'users.read',
      rows: PEOPLE.map((person) => ({ name: NAMES[person], people: [person] })),
      make: { button: 'Invite', action: 'invitations.write' },
    },
    apikeys: {
      action: 'apikeys.read',
      rows: ofOwners(({ key }) => ({ name: key })),
      make: { button: 'Create key', action: 'apikeys.write' },
    },
    budgets: {
      action: 'budgets.read',
      rows: ofOwners(({ usd }) => ({ name: `$${COUNT.format(usd)}`, raw: String(usd) })),
      make: { button: 'Create budget', action: 'budgets.write' },
    },
    quotas: {
      action: 'quotas.read',
      rows: ofOwners(({ requests }) => ({ name: COUNT.format(requests), raw: String(requests) })),
      make: { button: 'Create quota', action: 'quotas.write' },
    },
    usage: used,
    invoices: {
      action: 'invoices.read',
      rows: [{ name: MONTH.format(new Date(`${LAST_MONTH}-01T00:00:00Z`)), common: true }],
      make: { button: 'Draft an invoice', action: 'invoices.write' },
    },
    routing: {
      action: 'routing-policies.read',
      rows: [{ name: 'harbour-policy' }],
      make: { button: 'Create policy', action: 'routing-policies.write' },
    },
    // The navigation shows it to roles that may change something; everybody may read it.
    upstreams: { action: 'routing-policies.read', rows: [] },
    audit: { action: 'audit.read', rows: [{ name: superAdmin }] },
    // The platform's pages for all organisations together.
    'all/dashboard': {
      action: 'platform.usage.read',
      rows: [harbour, { name: 'Elsewhere Limited' }],
    },
    'all/users': { action: 'platform.users.read', rows: [harbour, { name: superAdmin }] },
    'all/usage': { action: 'platform.usage.read', rows: used.rows },
    'all/invoices': { action: 'platform.invoices.read', rows: [harbour] },
    'all/audit': { action: 'platform.audit.read', rows: [harbour, { name: 'Elsewhere team' }] },
  };
}

const PEOPLE: readonly Person[] = ['zora', 'mira', 'uma', 'oscar'];
