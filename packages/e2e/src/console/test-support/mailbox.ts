import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

import { eventually } from '../..';

// A mail server that accepts every message and returns the links in them.

export interface Mailbox {
  /** The value for `SMTP_URL`. */
  readonly url: string;
  /** The link of the newest message to this address with this subject, once it has arrived. */
  readonly linkIn: (to: string, subject: string) => Promise<string>;
  /** The text of every message to this address so far. */
  readonly lettersTo: (to: string) => readonly string[];
  readonly stop: () => Promise<void>;
}

interface Letter {
  readonly to: readonly string[];
  /** The received text without its soft line breaks. */
  readonly text: string;
}

/** More than any test sends. */
const MAX_LETTERS = 100;

export async function startMailbox(): Promise<Mailbox> {
  const letters: Letter[] = [];
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (letters.length === MAX_LETTERS) {
          done(new Error('the mailbox is full'));
          return;
        }
        const text = Buffer.concat(chunks).toString('utf8');
        letters.push({
          to: envelope.rcptTo.map(({ address }) => address),
          text: text.replaceAll('=\r\n', '').replaceAll('=3D', '='),
        });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${String(port)}`,
    linkIn: (to, subject) =>
      eventually(`a letter to ${to} about ${subject}`, () => {
        const letter = letters.findLast(
          ({ to: all, text }) => all.includes(to) && text.includes(`\r\nSubject: ${subject}\r\n`),
        );
        return Promise.resolve(/https?:\/\/\S+#token=[\w-]+/.exec(letter?.text ?? '')?.[0]);
      }),
    lettersTo: (to) => letters.filter(({ to: all }) => all.includes(to)).map(({ text }) => text),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
