import { z } from 'zod';

import type { MailKind } from '../entities/mail-outbox.entity';

/** The text of each kind of letter: plain, and as simple HTML that loads nothing. */

export const lettersContent = {
  INVITATION: z.object({
    link: z.string(),
    organisationName: z.string(),
    inviterName: z.string(),
    expiresAt: z.string(),
  }),
  PASSWORD_RESET: z.object({ link: z.string(), expiresAt: z.string() }),
} as const satisfies Record<MailKind, z.ZodType>;

export type LetterContent<K extends MailKind> = z.output<(typeof lettersContent)[K]>;

export interface WrittenLetter {
  subject: string;
  text: string;
  html: string;
}

/** A letter's parts. Names in them are made one line by the caller. */
export interface LetterDraft {
  readonly subject: string;
  readonly before: string;
  readonly button: string;
  readonly link: string;
  readonly after: string;
}

const DRAFTS: { readonly [K in MailKind]: (content: LetterContent<K>) => LetterDraft } = {
  INVITATION: ({ link, organisationName, inviterName, expiresAt }) => ({
    subject: `Invitation to ${oneLine(organisationName)}`,
    before: `${oneLine(inviterName)} invites you to join ${oneLine(organisationName)} on Tollgate.`,
    button: 'Accept the invitation',
    link,
    after: `The link works once and until ${expiresAt}. If you do not know why you were invited, ignore this mail.`,
  }),
  PASSWORD_RESET: ({ link, expiresAt }) => ({
    subject: 'Set a new password',
    before: 'A new password was asked for your Tollgate account.',
    button: 'Set a new password',
    link,
    after: `The link works once and until ${expiresAt}. If it was not you who asked, ignore this mail: nothing has changed.`,
  }),
};

export function writeLetter<K extends MailKind>(kind: K, content: LetterContent<K>): WrittenLetter {
  return writeDraft(DRAFTS[kind](content));
}

/** The letter as plain text, and as simple HTML that loads nothing. */
export function writeDraft({ subject, before, button, link, after }: LetterDraft): WrittenLetter {
  return {
    subject,
    text: `${before}\n\n${button}:\n${link}\n\n${after}\n`,
    html: [
      '<!doctype html><html><body style="font-family: sans-serif">',
      `<p>${escapeHtml(before)}</p>`,
      `<p><a href="${escapeHtml(link)}">${escapeHtml(button)}</a></p>`,
      `<p>${escapeHtml(after)}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}

/** Strips line breaks from names, which people choose, so that none can add a line. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
