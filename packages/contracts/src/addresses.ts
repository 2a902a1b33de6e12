// Where the gateway may connect to on a tenant's behalf. Catalog asks when a provider is saved, the
// edge again for the address it is about to connect to, because a name can change what it means.
import { isIP } from 'node:net';

export type AddressVerdict =
  { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type BaseUrlVerdict =
  { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

/** Link-local and metadata addresses: never, whatever is allowed. */
const NEVER = ranges([
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]);

/** Everything that is not the public internet: only where an allowed range contains it. */
const NOT_PUBLIC = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '64:ff9b:1::/48',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
]);
const PUBLIC_IPV6 = ranges(['2000::/3']);

/** IPv6 ranges whose addresses stand for an IPv4 one, and how to read that one off. */
const CARRIERS = [
  { range: range('::ffff:0:0/96'), ipv4: low32 }, // IPv4-mapped
  { range: range('::ffff:0:0:0/96'), ipv4: low32 }, // IPv4-translated
  { range: range('::/96'), ipv4: low32 }, // IPv4-compatible
  { range: range('64:ff9b::/96'), ipv4: low32 }, // NAT64
  { range: range('64:ff9b:1::/48'), ipv4: low32 }, // local NAT64 with a prefix of 96 bits
  {
    range: range('64:ff9b:1::/48'), // local NAT64 with a prefix of 48 bits: byte 8 is left out
    ipv4: (value: bigint) => (((value >> 64n) & 0xffffn) << 16n) | ((value >> 40n) & 0xffffn),
  },
  { range: range('2002::/16'), ipv4: (value: bigint) => low32(value >> 80n) }, // 6to4
  { range: range('2001::/32'), ipv4: (value: bigint) => low32(~value) }, // Teredo
] as const;

/** Names that mean a metadata service, and those that mean this machine. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);
const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost');

/** Whether a connection to an address may be made; a zone id (`%eth0`) does not matter. */
export function checkAddress(ip: string, allowedCidrs: readonly string[]): AddressVerdict {
  const address = parseAddress(ip);
  if (address === undefined) return refused(`${ip} is not an IP address`);
  const meanings = [address, ...carriedBy(address)];
  if (meanings.some((meaning) => within(NEVER, meaning))) {
    return refused(`${ip} is a link-local or metadata address, which is never allowed`);
  }
  const allowed = parsedCidrs(allowedCidrs);
  if (meanings.some((meaning) => within(allowed, meaning))) return { ok: true };
  if (meanings.every(isPublic)) return { ok: true };
  return refused(`${ip} is not a public address, and no allowed range contains it`);
}

/**
 * Whether a provider may have this base URL, as far as can be told without asking the DNS. The edge
 * checks the address that a name resolves to when it connects.
 */
export function checkBaseUrl(text: string, allowedCidrs: readonly string[]): BaseUrlVerdict {
  if (!URL.canParse(text)) return refused('the base URL is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused('the base URL starts with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    return refused('the base URL holds no user name or password');
  }
  if (url.search !== '' || url.hash !== '') {
    return refused('the base URL has no query and no fragment');
  }
  const verdict = checkHost(url.hostname, allowedCidrs);
  return verdict.ok ? { ok: true, url } : verdict;
}

/** A list of ranges like `10.0.0.0/8`; a RangeError names what is none. For checking settings. */
export function checkCidrs(cidrs: readonly string[]): void {
  parsedCidrs(cidrs);
}

function checkHost(hostname: string, allowedCidrs: readonly string[]): AddressVerdict {
  // The URL parser has turned every way to write an IPv4 address (0x7f.1, 2130706433) into one.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return checkAddress(host, allowedCidrs);
  if (METADATA_NAMES.has(host)) return refused(`${host} is a metadata service`);
  if (!isLoopbackName(host)) return { ok: true };
  const [v4, v6] = [checkAddress('127.0.0.1', allowedCidrs), checkAddress('::1', allowedCidrs)];
  return v4.ok || v6.ok
    ? { ok: true }
    : refused(`${host} is this machine, and no allowed range contains it`);
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Addresses of one family whose bits above the last `hostBits` equal `network`'s. */
interface Range {
  readonly bits: 32 | 128;
  readonly hostBits: bigint;
  readonly network: bigint;
}

function isPublic(address: Address): boolean {
  if (within(NOT_PUBLIC, address)) return false;
  return address.bits === 32 || within(PUBLIC_IPV6, address) || carriedBy(address).length > 0;
}

function carriedBy(address: Address): Address[] {
  // `::` and `::1` are this machine's own, not IPv4 addresses in disguise.
  if (address.bits === 32 || address.value <= 1n) return [];
  return CARRIERS.filter(({ range }) => contains(range, address)).map(({ ipv4 }) => ({
    bits: 32,
    value: ipv4(address.value),
  }));
}

function low32(value: bigint): bigint {
  return value & 0xffff_ffffn;
}

function within(list: readonly Range[], address: Address): boolean {
  return list.some((range) => contains(range, address));
}

function contains(range: Range, address: Address): boolean {
  return range.bits === address.bits && address.value >> range.hostBits === range.network;
}

// Settings hand over the same list for the life of a process.
const parsed = new WeakMap<readonly string[], readonly Range[]>();

function parsedCidrs(cidrs: readonly string[]): readonly Range[] {
  let list = parsed.get(cidrs);
  if (list === undefined) parsed.set(cidrs, (list = ranges(cidrs)));
  return list;
}

function ranges(cidrs: readonly string[]): readonly Range[] {
  return cidrs.map(range);
}

function range(cidr: string): Range {
  const [ip = '', length = '', ...rest] = cidr.split('/');
  const address = ip.includes('%') ? undefined : parseAddress(ip);
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Infinity;
  if (address === undefined || rest.length > 0 || prefix > address.bits) {
    throw new RangeError(`${cidr} is not a range of addresses like 10.0.0.0/8`);
  }
  const hostBits = BigInt(address.bits - prefix);
  return { bits: address.bits, hostBits, network: address.value >> hostBits };
}

function parseAddress(text: string): Address | undefined {
  const [ip = ''] = text.split('%');
  switch (isIP(ip)) {
    case 4:
      return { bits: 32, value: joined(ip.split('.').map(Number), 8n) };
    case 6:
      return { bits: 128, value: joined(groupsOf(ip), 16n) };
    default:
      return undefined;
  }
}

// The URL parser writes an IPv6 address in one way only: hexadecimal groups, `::` at most once.
function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((g) => parseInt(g, 16)));
  if (tail === undefined) return groups(head);
  const [before, after] = [groups(head), groups(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(part), 0n);
}
