import { inflateSync } from 'node:zlib';
import type { rest } from '@tollgate/contracts';

import { pdfOf } from './invoice-pdf';

const ID = '0195a000-0000-7000-8000-000000000001';

function invoiceTo(billingName: string): rest.Invoice {
  return {
    id: ID,
    organisationId: ID,
    number: '000001',
    status: 'ISSUED',
    month: '2026-03',
    startsAt: '2026-03-01T00:00:00.000Z',
    endsAt: '2026-04-01T00:00:00.000Z',
    timeZone: 'Europe/Warsaw',
    totalUsd: '1234.5',
    roundingUsd: '0',
    dueUsd: '1234.50',
    lineCount: 1,
    billingName,
    billingAddress: '',
    taxNumber: '',
    issuedAt: '2026-04-01T00:00:00.000Z',
    voidedAt: null,
    voidReason: null,
    createdAt: '2026-04-01T00:00:00.000Z',
    updatedAt: '2026-04-01T00:00:00.000Z',
  };
}

function lineOf(team: string, description: string): rest.InvoiceLine {
  return {
    id: ID,
    kind: 'USAGE',
    month: '2026-03',
    description,
    teamId: ID,
    team,
    apiKeyId: ID,
    apiKey: 'key',
    modelId: ID,
    model: 'model',
    mcpServerId: null,
    mcpServer: null,
    requests: 1_234,
    tokensIn: 1,
    tokensOut: 1,
    amountUsd: '1234.5',
  };
}

async function fileOf(
  name: string,
  team: string,
  description: string,
  billingAddress = '',
): Promise<Buffer> {
  async function* lines() {
    yield lineOf(team, description);
  }
  const invoice = { ...invoiceTo(name), billingAddress };
  const createdAt = new Date('2026-04-01T00:00:00Z');
  const chunks: Buffer[] = [];
  for await (const chunk of pdfOf({ title: 'invoice', createdAt, invoice, lines: lines() })) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Drawn {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** Dictionaries of a file's objects by number, and their inflated streams. */
function objectsOf(file: Buffer): Map<string, { head: string; stream: string }> {
  const found = file
    .toString('latin1')
    .matchAll(/^(\d+) 0 obj\n([\s\S]*?)(?:stream\n([\s\S]*?)\nendstream\n)?endobj/gm);
  return new Map(
    Array.from(found, ([, number = '', head = '', stream]) => {
      const packed = stream === undefined ? undefined : Buffer.from(stream, 'latin1');
      const bytes =
        packed === undefined || !head.includes('FlateDecode') ? packed : inflateSync(packed);
      return [number, { head, stream: bytes?.toString('latin1') ?? '' }];
    }),
  );
}

/** The texts as a reader copies them: codes of embedded fonts by their ToUnicode, others by Windows-1252. */
function textsOf(file: Buffer): Drawn[] {
  const objects = objectsOf(file);
  const all = [...objects.values()];
  const drawn: Drawn[] = [];
  const fonts = new Map(
    all
      .flatMap(({ head }) => [...head.matchAll(/\/(F\d+) (\d+) 0 R/g)])
      .map(([, name, to]) => {
        const unicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(to ?? '')?.head ?? '')?.[1];
        return [name ?? '', unicode === undefined ? undefined : objects.get(unicode)?.stream];
      }),
  );
  let font: string | undefined;
  let at = { x: 0, y: 0 };
  for (const line of all.flatMap(({ stream }) => stream.split('\n'))) {
    const [, x, y] = /^1 0 0 1 (\S+) (\S+) Tm$/.exec(line) ?? [];
    if (x !== undefined && y !== undefined) at = { x: Number(x), y: Number(y) };
    const name = /^\/(F\d+) \S+ Tf$/.exec(line)?.[1];
    if (name !== undefined) font = fonts.get(name);
    if (!line.endsWith('] TJ')) continue;
    const codes = Array.from(line.matchAll(/<([0-9a-f]*)>/g), ([, hex]) => hex).join('');
    drawn.push({ text: decoded(codes, font), ...at });
  }
  return drawn;
}

function decoded(codes: string, toUnicode: string | undefined): string {
  if (toUnicode === undefined) {
    return new TextDecoder('windows-1252').decode(Buffer.from(codes, 'hex'));
  }
  const table = Array.from(
    toUnicode.matchAll(/<[0-9a-f]{4}> <[0-9a-f]{4}> \[(.*)\]/g),
    ([, entries = '']) => Array.from(entries.matchAll(/<([0-9a-f ]+)>/g), ([, hex = '']) => hex),
  ).flat();
  return (codes.match(/.{4}/g) ?? [])
    .map((code) => {
      const units = Buffer.from((table[parseInt(code, 16)] ?? '').replaceAll(' ', ''), 'hex');
      return new TextDecoder('utf-16be').decode(units);
    })
    .join('');
}

test('names outside Western Europe can be read, and a character without a glyph is replaced alone', async () => {
  const file = await fileOf('Łódź Sp. z o.o.', 'Łódź 字 Ελλάς', 'модель, key, łódź 𠮷 x');
  const texts = textsOf(file).map(({ text }) => text);
  expect(texts).toContain('Łódź Sp. z o.o.');
  expect(texts).toContain('Team Łódź \ufffd Ελλάς');
  expect(texts).toContain('модель, key, łódź \ufffd x');
  expect(texts).toContain('Sum of Team Łódź \ufffd Ελλάς');
});

test('letters and accents that are sent apart are drawn as one', async () => {
  const texts = textsOf(await fileOf('Cafe\u0301', 'z\u0301', 'x')).map(({ text }) => text);
  expect(texts).toContain('Café');
  expect(texts).toContain('Team ź');
});

test('line breaks and tabs of an address are no characters without a glyph', async () => {
  const file = await fileOf('A', 'B', 'C', 'ul. Żółta 1\r\n00-001\tŁódź');
  const texts = textsOf(file).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(['ul. Żółta 1', '00-001 Łódź']));
});

test('a file of Western names embeds no font', async () => {
  const file = await fileOf('Café “Zürich” – 5 €', 'Søren', 'gpt, key');
  expect(file.includes('FontFile2')).toBe(false);
  expect(textsOf(file).map(({ text }) => text)).toContain('Café “Zürich” – 5 €');
});

test('only the glyphs in use are embedded', async () => {
  expect((await fileOf('Łódź', 'Ελλάς', 'модель')).length).toBeLessThan(40_000);
});

test('amounts stand where they do in a file of Western names, on the baseline of their row', async () => {
  const western = textsOf(await fileOf('A', 'B', 'C'));
  const greek = textsOf(await fileOf('Ελλάς', 'Ελλάς', 'Ελλάς'));
  const amounts = (texts: readonly Drawn[]) =>
    texts.filter(({ text }) => text.startsWith('1234.5'));
  expect(amounts(western)).toHaveLength(4);
  expect(amounts(greek).map(({ x }) => x)).toEqual(amounts(western).map(({ x }) => x));
  const description = greek.filter(({ text }) => text === 'Ελλάς').at(-1);
  expect(description?.y).toBe(amounts(greek)[0]?.y);
});
