import OpenAI, { APIError } from 'openai';
import type { Locator, Page } from 'playwright-core';

import { expectStatus, type Gateway } from '../..';
import type { Mailbox } from './mailbox';
import type { Visitor } from './visitor';

// Actions in the console that several tests share: invite and join, create a key, type an address;
// and an application's request with the key.

const PASSWORD = 'correct horse battery staple';

export const emailOf = (who: string): string => `${who}@lumen.example`;

export const button = ({ page }: Visitor, name: string | RegExp): Locator =>
  page.getByRole('button', { name });

export const rowOf = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('row', { name }).first();

/** Presses a button of the open dialog, and waits until the dialog has closed. */
export async function finish({ page }: Visitor, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/**
 * A request through the edge, as an application sends it: the number of tokens, or the code of the
 * refusal.
 */
export async function ask(
  gateway: Gateway,
  apiKey: string,
): Promise<{ tokens: number; code?: string }> {
  const client = new OpenAI({ apiKey, baseURL: `${gateway.edgeUrl()}/v1`, maxRetries: 0 });
  try {
    const answer = await client.chat.completions.create({
      model: 'sim',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 100,
    });
    return { tokens: answer.usage?.total_tokens ?? 0 };
  } catch (error) {
    if (error instanceof APIError) return { tokens: 0, code: String(error.code) };
    throw error;
  }
}

export interface Doings {
  /** The role is named as in the form; the user gets one team. */
  readonly invite: (by: Visitor, who: string, role: string, team?: string) => Promise<void>;
  readonly accept: (visitor: Visitor, who: string, name: string) => Promise<void>;
  /** The key, which is shown only once; `choose` fills in the rest of the form. */
  readonly makeKey: (by: Visitor, name: string, choose: () => Promise<void>) => Promise<string>;
  /** A typed address: the page refuses with these words, and shows no secret. */
  readonly denied: (visitor: Visitor, path: string, words: string) => Promise<void>;
}

/** In one organisation, whose secrets must not appear in a refusal. */
export function createDoings(
  { adminUrl }: Gateway,
  mailbox: Mailbox,
  organisation: { readonly name: string; readonly slug: string },
  secrets: readonly string[],
): Doings {
  const at = (path: string): string => `${adminUrl}/${organisation.slug}/${path}`;
  return {
    async invite(by, who, role, team) {
      await by.open(at('users'));
      await button(by, 'Invite').first().click();
      const dialog = by.page.getByRole('dialog');
      await dialog.getByLabel('Email').fill(emailOf(who));
      await dialog.getByLabel('Role').selectOption({ label: role });
      if (team !== undefined) await dialog.getByRole('option', { name: team }).click();
      await finish(by, 'Invite');
      const told = by.page.getByText(`The invitation was sent to ${emailOf(who)}.`);
      await told.first().waitFor();
    },

    async accept(visitor, who, name) {
      const { page, open, settled } = visitor;
      const subject = `Invitation to ${organisation.name}`;
      await open(await mailbox.linkIn(emailOf(who), subject));
      await page.getByText(organisation.name).first().waitFor();
      await page.getByLabel('Your name').fill(name);
      await page.getByLabel('Password').fill(PASSWORD);
      await button(visitor, 'Join').click();
      await page.waitForURL(at('dashboard'));
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
      await settled();
    },

    async makeKey(by, name, choose) {
      await by.open(at('apikeys'));
      await button(by, 'Create key').first().click();
      const dialog = by.page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      await choose();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await by.page.getByRole('heading', { name: 'Your new API key' }).waitFor();
      const made = /tg_[\w-]{43}/.exec((await dialog.textContent()) ?? '')?.[0];
      if (made === undefined) throw new Error(`the key ${name} was not shown`);
      await finish(by, 'I have copied it');
      return made;
    },

    async denied({ page, open, settled, complaints }, path, words) {
      await open(at(path));
      await page.getByText(words).first().waitFor();
      await settled();
      const html = await page.content();
      expect([path, secrets.filter((secret) => html.includes(secret))]).toEqual([path, []]);
      const refused = complaints();
      expect([path, refused]).not.toEqual([path, []]);
      for (const line of refused) expect(line).toMatch(/^40[34] GET \/api\//);
    },
  };
}

/** The ids of the administrator's items. */
export interface Foreign {
  readonly organisation: string;
  readonly apikeys: string;
  readonly teams: string;
  readonly users: string;
  readonly usage: string;
}

/** Resolves once the request with the administrator's own key is booked. */
export async function foreignOf({ rest }: Gateway, slug: string): Promise<Foreign | undefined> {
  const idIn = async (path: string): Promise<string> => {
    const { data } = expectStatus(await rest.get(path), 200).data as { data: { id: string }[] };
    return data[0]?.id ?? '';
  };
  const organisation = await idIn(`/api/admin/organisations?search=${slug}`);
  const base = `/api/organisations/${organisation}`;
  const apikeys = await idIn(`${base}/apikeys?search=lantern`);
  const usage = await idIn(`${base}/usage/records?apiKeyId=${apikeys}`);
  if (usage === '') return undefined;
  const teams = await idIn(`${base}/teams?search=Lanterns`);
  const users = await idIn(`${base}/users?search=ada`);
  return { organisation, apikeys, teams, users, usage };
}
