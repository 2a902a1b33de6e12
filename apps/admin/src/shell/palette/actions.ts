import type { rest } from '@tollgate/contracts';
import {
  ArrowLeftRight,
  Ban,
  Keyboard,
  LogOut,
  Pause,
  Plus,
  Power,
  SunMoon,
  type LucideIcon,
} from 'lucide-react';

import { DO, NEW } from '../linked-actions';
import { withQuery } from '../paths';
import type { Choice, Doing } from './choices';

// What the palette does, beside opening pages. A row names the permission without which it is not offered. Pure.

interface Row {
  readonly name: string;
  /** Other words by which it is found. */
  readonly words?: string;
  readonly icon?: LucideIcon;
  readonly action?: rest.Action;
}
interface NewRow extends Row {
  /** The page whose form it opens, and its tab. */
  readonly page: string;
  readonly tab?: string;
}

/** Forms of an organisation's pages. */
const NEW_ROWS: readonly NewRow[] = [
  { name: 'New API key', page: 'apikeys', action: 'apikeys.write', words: 'create' },
  { name: 'New team', page: 'teams', action: 'teams.write', words: 'create' },
  { name: 'Invite a user', page: 'users', action: 'invitations.write', words: 'new create' },
  { name: 'New provider', page: 'providers', action: 'providers.write', words: 'add create' },
  { name: 'New model', page: 'models', action: 'models.write', words: 'add create' },
  { name: 'New alias', page: 'aliases', action: 'models.write', words: 'create' },
  {
    name: 'New routing policy',
    page: 'routing',
    action: 'routing-policies.write',
    words: 'create',
  },
  { name: 'New experiment', page: 'experiments', action: 'experiments.write', words: 'create' },
  {
    name: 'New MCP server',
    page: 'mcp-servers',
    action: 'mcp-servers.write',
    words: 'add create',
  },
  { name: 'New budget', page: 'budgets', action: 'budgets.write', words: 'create limit' },
  { name: 'New quota', page: 'quotas', action: 'quotas.write', words: 'create limit' },
  {
    name: 'New rate limit',
    page: 'quotas',
    tab: 'rates',
    action: 'rate-limits.write',
    words: 'create',
  },
  {
    name: 'New screening policy',
    page: 'screening',
    action: 'screening.write',
    words: 'create',
  },
  {
    name: 'New alert rule',
    page: 'alerts',
    tab: 'rules',
    action: 'alerts.write',
    words: 'create',
  },
  {
    name: 'New export destination',
    page: 'exports',
    action: 'exports.write',
    words: 'add create',
  },
];

const STEP_ROWS: readonly (Row & { readonly does: Doing })[] = [
  {
    name: 'Revoke an API key…',
    icon: Ban,
    action: 'apikeys.write',
    does: { step: 'revoke' },
    words: 'delete',
  },
  {
    name: 'Turn off a model…',
    icon: Power,
    action: 'models.write',
    does: { step: 'turn-off' },
    words: 'pause disable',
  },
  {
    name: 'Pause an export destination…',
    icon: Pause,
    action: 'exports.write',
    does: { step: 'pause' },
    words: 'stop',
  },
];

const EVERYWHERE: readonly (Row & { readonly does: Doing })[] = [
  {
    name: 'Switch to organisation…',
    icon: ArrowLeftRight,
    action: 'platform.organisations.read',
    does: { step: 'organisation' },
    words: 'change open',
  },
  {
    name: 'Toggle theme',
    icon: SunMoon,
    does: { run: 'theme' },
    words: 'dark light appearance',
  },
  {
    name: 'Keyboard shortcuts',
    icon: Keyboard,
    does: { run: 'shortcuts' },
    words: 'help',
  },
  { name: 'Sign out', icon: LogOut, does: { run: 'signOut' }, words: 'log out' },
];

/**
 * The actions that match the text, for a user with these permissions. `hrefOf` gets a page; undefined: there is no
 * organisation to act in.
 */
export function actionsFor(
  actions: readonly string[],
  text: string,
  hrefOf: ((page: string) => string) | undefined,
): readonly Choice[] {
  const wanted = text.toLowerCase();
  const rows = [
    ...(hrefOf === undefined
      ? []
      : [
          ...NEW_ROWS.map((row) => ({
            icon: Plus,
            ...row,
            does: { href: withQuery(hrefOf(row.page), { tab: row.tab, [DO]: NEW }) },
          })),
          ...STEP_ROWS,
        ]),
    ...EVERYWHERE,
  ];
  return rows
    .filter(({ action }) => action === undefined || actions.includes(action))
    .filter(({ name, words = '' }) => `${name} ${words}`.toLowerCase().includes(wanted))
    .map(({ name, icon, does }) => ({ name, does, ...(icon && { icon }) }));
}
