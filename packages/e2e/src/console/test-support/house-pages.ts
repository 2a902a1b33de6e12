import type { rest } from '@tollgate/contracts';

// What each page of the console shows of the house, to whom it belongs and what it needs to be read.

export type Person = 'zora' | 'mira' | 'uma' | 'oscar';
export type TeamName = 'Falconers' | 'Ospreys';

/** An item that a page shows. */
export interface Row {
  /** As people read it. */
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

export const NAMES: Readonly<Record<Person, string>> = {
  zora: 'Zora Quill',
  mira: 'Mira Vane',
  uma: 'Uma Thistle',
  oscar: 'Oscar Bramble',
};

/** The owner of a key, its own model, and the limits of its owner. */
export const KEYS: readonly {
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

const HARBOUR: Row = { name: 'Harbour Company', common: true };

export const LAST_MONTH = (() => {
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

export function pagesOf(superAdmin: string): Readonly<Record<string, Shown>> {
  // A model's name is visible to everybody; its usage is not.
  const used: Shown = {
    action: 'usage.read',
    rows: ofOwners(({ model }) => ({ name: model, common: true })),
  };
  return {
    dashboard: used,
    organisations: {
      action: 'platform.organisations.read',
      rows: [HARBOUR, { name: 'Elsewhere Limited' }],
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
    refusals: { action: 'usage.read', rows: [] },
    invoices: {
      action: 'invoices.read',
      rows: [{ name: MONTH.format(new Date(`${LAST_MONTH}-01T00:00:00Z`)), common: true }],
      make: { button: 'Draft an invoice', action: 'invoices.write' },
    },
    ...operationPages(superAdmin),
    ...platformPages(superAdmin, used.rows),
  };
}

/** How requests are routed, and who changed what. */
function operationPages(superAdmin: string): Readonly<Record<string, Shown>> {
  return {
    aliases: {
      action: 'models.read',
      rows: [{ name: 'harbour-alias' }],
      make: { button: 'Create alias', action: 'models.write' },
    },
    experiments: {
      action: 'experiments.read',
      rows: [{ name: 'harbour-trial' }],
      make: { button: 'Create experiment', action: 'experiments.write' },
    },
    routing: {
      action: 'routing-policies.read',
      rows: [{ name: 'harbour-policy' }],
      make: { button: 'Create policy', action: 'routing-policies.write' },
    },
    screening: {
      action: 'screening.read',
      rows: [{ name: 'Harbour rules' }],
      make: { button: 'Create policy', action: 'screening.write' },
    },
    corrections: {
      action: 'price-corrections.read',
      rows: [{ name: 'Harbour was billed twice' }],
      make: { button: 'Ask for a correction', action: 'price-corrections.write' },
    },
    // The navigation shows it to roles that may change something; everybody may read it.
    upstreams: { action: 'routing-policies.read', rows: [] },
    // The first tab is the log, which only the gateway fills.
    alerts: { action: 'alerts.read', rows: [] },
    audit: { action: 'audit.read', rows: [{ name: superAdmin }] },
    exports: {
      action: 'exports.read',
      rows: [{ name: 'Harbour warehouse' }],
      make: { button: 'Add destination', action: 'exports.write' },
    },
  };
}

/** What the platform's pages show of all organisations together. */
function platformPages(superAdmin: string, used: readonly Row[]): Readonly<Record<string, Shown>> {
  return {
    'all/dashboard': {
      action: 'platform.usage.read',
      rows: [HARBOUR, { name: 'Elsewhere Limited' }],
    },
    'all/users': { action: 'platform.users.read', rows: [HARBOUR, { name: superAdmin }] },
    'all/usage': { action: 'platform.usage.read', rows: used },
    'all/invoices': { action: 'platform.invoices.read', rows: [HARBOUR] },
    'all/corrections': {
      action: 'platform.usage.correct',
      rows: [HARBOUR, { name: 'Harbour was billed twice' }],
    },
    'all/exports': { action: 'platform.exports.read', rows: [{ name: 'Pier archive' }] },
    'all/audit': { action: 'platform.audit.read', rows: [HARBOUR, { name: 'Elsewhere team' }] },
  };
}

const PEOPLE: readonly Person[] = ['zora', 'mira', 'uma', 'oscar'];
