import type { rest } from '@tollgate/contracts';
import {
  Bell,
  BookOpenCheck,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  CircleAlert,
  FileOutput,
  FilePen,
  FlaskConical,
  Gauge,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  MessageSquareText,
  Plug,
  ReceiptText,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Signpost,
  UserRound,
  UsersRound,
  WalletMinimal,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';

/** A navigation entry. Without `ready` it is shown but disabled. */
export interface Entry {
  readonly page: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Hides the entry from users without this permission. */
  readonly action?: rest.Action;
  readonly ready?: true;
}
export interface Section {
  readonly title?: string;
  readonly entries: readonly Entry[];
}

const upstream: Section = {
  title: 'Upstream',
  entries: [
    {
      page: 'providers',
      label: 'Providers',
      icon: Server,
      action: 'providers.read',
      ready: true,
    },
    { page: 'models', label: 'Models', icon: Boxes, action: 'models.read', ready: true },
    { page: 'aliases', label: 'Aliases', icon: Signpost, action: 'models.read', ready: true },
    {
      page: 'routing',
      label: 'Routing',
      icon: Waypoints,
      // Everyone may read a policy of their own keys; the list is for those who manage policies.
      action: 'routing-policies.write',
      ready: true,
    },
    {
      page: 'experiments',
      label: 'Experiments',
      icon: FlaskConical,
      action: 'experiments.read',
      ready: true,
    },
    {
      page: 'upstreams',
      label: 'Upstream health',
      icon: HeartPulse,
      action: 'providers.read',
      ready: true,
    },
    {
      page: 'mcp-servers',
      label: 'MCP servers',
      icon: Plug,
      action: 'mcp-servers.read',
      ready: true,
    },
  ],
};
const limits: Section = {
  title: 'Limits',
  entries: [
    { page: 'budgets', label: 'Budgets', icon: WalletMinimal, action: 'budgets.read', ready: true },
    { page: 'quotas', label: 'Quotas', icon: Gauge, action: 'quotas.read', ready: true },
    {
      page: 'screening',
      label: 'Screening',
      icon: ShieldCheck,
      action: 'screening.read',
      ready: true,
    },
  ],
};
const books: Section = {
  title: 'Books',
  entries: [
    { page: 'usage', label: 'Usage', icon: ChartNoAxesColumn, action: 'usage.read', ready: true },
    {
      page: 'refusals',
      label: 'Refused and failed',
      icon: CircleAlert,
      action: 'usage.read',
      ready: true,
    },
    {
      page: 'invoices',
      label: 'Invoices',
      icon: ReceiptText,
      action: 'invoices.read',
      ready: true,
    },
    {
      page: 'corrections',
      label: 'Price corrections',
      icon: FilePen,
      action: 'price-corrections.read',
      ready: true,
    },
  ],
};
const ledger: Entry = {
  page: 'ledger',
  label: 'Ledger',
  icon: BookOpenCheck,
  action: 'platform.ledger.read',
  ready: true,
};
const audit: Entry = {
  page: 'audit',
  label: 'Audit',
  icon: ScrollText,
  action: 'audit.read',
  ready: true,
};
const settings: Section = {
  entries: [
    audit,
    { page: 'exports', label: 'Exports', icon: FileOutput, action: 'exports.read', ready: true },
    {
      page: 'settings',
      label: 'Settings',
      icon: Settings,
      action: 'organisation.read',
      ready: true,
    },
  ],
};

const teams: Entry = {
  page: 'teams',
  label: 'Teams',
  icon: UsersRound,
  action: 'teams.read',
  ready: true,
};
const users: Entry = {
  page: 'users',
  label: 'Users',
  icon: UserRound,
  action: 'users.read',
  ready: true,
};
const alerts: Entry = {
  page: 'alerts',
  label: 'Alerts',
  icon: Bell,
  action: 'alerts.read',
  ready: true,
};
const dashboard: Entry = {
  page: 'dashboard',
  label: 'Dashboard',
  icon: LayoutDashboard,
  ready: true,
};
const playground: Entry = {
  page: 'playground',
  label: 'Playground',
  icon: MessageSquareText,
  action: 'playground.use',
  ready: true,
};
const apiKeys: Entry = {
  page: 'apikeys',
  label: 'API keys',
  icon: KeyRound,
  action: 'apikeys.read',
  ready: true,
};

export const ORGANISATION_NAVIGATION: readonly Section[] = [
  { entries: [dashboard, alerts, playground] },
  { title: 'Access', entries: [apiKeys, teams, users] },
  upstream,
  limits,
  books,
  settings,
];

export const PLATFORM_NAVIGATION: readonly Section[] = [
  {
    entries: [
      dashboard,
      {
        page: 'organisations',
        label: 'Organisations',
        icon: Building2,
        action: 'platform.organisations.read',
        ready: true,
      },
      alerts,
      playground,
    ],
  },
  { title: 'Access', entries: [apiKeys, teams, users] },
  upstream,
  limits,
  { ...books, entries: [...books.entries, ledger] },
  settings,
];

/** The entries that a user with these permissions sees. */
export function visible(
  sections: readonly Section[],
  actions: readonly string[],
): readonly Section[] {
  return sections
    .map((section) => ({
      ...section,
      entries: section.entries.filter(
        ({ action }) => action === undefined || actions.includes(action),
      ),
    }))
    .filter(({ entries }) => entries.length > 0);
}
