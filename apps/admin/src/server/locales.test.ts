import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

import { viewerLocale } from '../format/locale';
import { followLocales, localeOf } from './locales';

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
  ['en;q=0.5, fr-CH', 'fr-CH'],
  ['*, pt-BR', 'pt-BR'],
  ['xx-YY, en-GB', 'en-GB'],
  ['no tag at all', undefined],
  ['de;q=0', undefined],
  // Extensions would name other digits and calendars.
  ['th-TH-u-ca-buddhist-nu-thai', 'th-TH'],
  [`${'a,'.repeat(50)}de`, undefined],
  ['', undefined],
  [undefined, undefined],
])('the language header %s asks for %s', (header, locale) => {
  expect(localeOf(header)).toBe(locale);
});

test('what answers a request has its locale, also later and among others', async () => {
  const stop = followLocales();
  const server = createServer((_, response) => {
    setImmediate(() => response.end(viewerLocale()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const locales = ['de-DE', 'en-GB', 'fr-FR', 'ja-JP'];
    expect(await Promise.all(locales.map((locale) => answered(port, locale)))).toEqual(locales);
    expect(await answered(port, undefined)).toBe('en-US');
  } finally {
    server.closeAllConnections();
    server.close();
    stop();
  }
});

async function answered(port: number, language: string | undefined): Promise<string> {
  const headers = language === undefined ? {} : { 'accept-language': language };
  const sent = request({ host: '127.0.0.1', port, headers }).end();
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const part of response) text += part.toString();
  return text;
}
