import { createTransport } from 'nodemailer';

import type { WrittenLetter } from './letters';

/** Sends one letter to one recipient over SMTP. */

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;
/** For a whole letter, over all steps. */
export const SEND_TIMEOUT_MS = 45_000;

export type Addressed = WrittenLetter & { readonly id: string; readonly to: string };

export type SendMail = (letter: Addressed) => Promise<void>;

/** `url`: smtp://user:password@host:port, or smtps:// for TLS from the first byte. */
export function createSmtp(settings: { url: string; from: string }): SendMail {
  const transport = createTransport(
    {
      url: settings.url,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
    },
    { from: settings.from },
  );
  const host = new URL(settings.url).hostname;
  return async ({ id, to, subject, text, html }) => {
    await transport.sendMail({
      to: { name: '', address: to },
      subject,
      text,
      html,
      // A stable id lets receivers drop the duplicate when a letter is sent twice.
      messageId: `<${id}@${host}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  };
}

/** Describes a failure by its codes alone, because a server's reply may echo a secret. */
export function faultOf(error: unknown): { text: string; permanent: boolean } {
  const { code, responseCode, command } = (error ?? {}) as Record<string, unknown>;
  const parts = [code, responseCode, command].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  const refused = code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
  const text = parts.length === 0 ? 'the mail server could not be used' : parts.join(' ');
  return { text: text.slice(0, 200), permanent: refused };
}
