import type { LucideIcon } from 'lucide-react';

import { isRequestId } from '../../format/request-id';
import type { RowAction } from '../linked-actions';
import { visible, type Section } from '../navigation';

// The palette's choices and selection. Pure.

export interface Choice {
  readonly name: string;
  readonly note?: string;
  readonly icon?: LucideIcon;
  readonly does: Doing;
}
/** What Enter does: opens a page, asks for an object of the action, or runs something of the console itself. */
export type Doing =
  | { readonly href: string }
  | { readonly step: Step }
  | { readonly run: 'theme' | 'shortcuts' | 'signOut' };
/** Actions that need an object, which is chosen next. */
export type Step = 'organisation' | RowAction;

export interface Group {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Pages whose names match the text; prefix matches come first. */
export function pagesFor(
  sections: readonly Section[],
  actions: readonly string[],
  text: string,
  hrefOf: (page: string) => string,
): readonly Choice[] {
  const wanted = text.toLowerCase();
  return visible(sections, actions)
    .flatMap(({ entries }) => entries)
    .filter(({ ready, label }) => ready === true && label.toLowerCase().includes(wanted))
    .map(({ page, label, icon }) => ({ does: { href: hrefOf(page) }, name: label, icon }))
    .toSorted((a, b) => beginsWith(b.name, wanted) - beginsWith(a.name, wanted));
}

/** What a link of the palette looks for. */
export type Found =
  | { readonly requestId: string }
  | { readonly clientRequestId: string }
  | { readonly session: string };

/** Ids have digits; names that somebody types rarely have. */
const MAYBE_ID = /^(?=.*\d)[\w.:-]{6,200}$/;

/**
 * Requests that the text may be an id of: the gateway's, or the client's, or of an agent's session. `hrefOf` gets a path below
 * the usage page, or a query of it.
 */
export function requestsFor(text: string, hrefOf: (where: Found) => string): readonly Choice[] {
  if (!MAYBE_ID.test(text)) return [];
  const byClient = {
    does: { href: hrefOf({ clientRequestId: text }) },
    name: 'Requests with this client’s id',
    note: text,
  };
  const bySession = {
    does: { href: hrefOf({ session: text }) },
    name: 'Session of a coding agent',
    note: text,
  };
  if (!isRequestId(text)) return [byClient, bySession];
  const requestId = text.toLowerCase();
  return [
    { does: { href: hrefOf({ requestId }) }, name: 'Open the request', note: requestId },
    byClient,
    bySession,
  ];
}

function beginsWith(name: string, wanted: string): number {
  return Number(name.toLowerCase().startsWith(wanted));
}
