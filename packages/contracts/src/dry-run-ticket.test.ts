import { createHash, randomBytes } from 'node:crypto';

import { openDryRunTicket, sealDryRunTicket } from './dry-run-ticket';
import { parseKeyRing } from './key-ring';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const OLD = key('old');
const ring = parseKeyRing(OLD);
const keySha256 = createHash('sha256').update('a key').digest();
const ticket = sealDryRunTicket(ring, { keySha256, expiresAtMs: 1_000 });

test('a ticket opens to the hash of its key until it expires', () => {
  expect(openDryRunTicket(ring, ticket, 999)).toEqual(keySha256);
  expect(openDryRunTicket(ring, ticket, 1_000)).toBeUndefined();
});

test('it opens while the ring has its key', () => {
  expect(openDryRunTicket(parseKeyRing(`${key('new')},${OLD}`), ticket, 0)).toEqual(keySha256);
  expect(openDryRunTicket(parseKeyRing(key('old')), ticket, 0)).toBeUndefined();
  expect(openDryRunTicket(parseKeyRing(key('new')), ticket, 0)).toBeUndefined();
});

test('one that was changed, or is none, does not open', () => {
  const at = ticket.length - 30;
  const other = ticket[at] === 'A' ? 'B' : 'A';
  const changed = ticket.slice(0, at) + other + ticket.slice(at + 1);
  for (const bad of [changed, '', 'old~', 'old~AAAA', `${ticket}AAAA`, 'x'.repeat(10_000)]) {
    expect(openDryRunTicket(ring, bad, 0)).toBeUndefined();
  }
});

test('it does not show the hash', () => {
  expect(Buffer.from(ticket.slice(4), 'base64url').includes(keySha256)).toBe(false);
  expect(ticket).not.toBe(sealDryRunTicket(ring, { keySha256, expiresAtMs: 1_000 }));
});
