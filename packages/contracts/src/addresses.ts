// Where the gateway may connect for a tenant. The catalog checks when a provider is saved; the edge
// checks the resolved address again when it connects, because DNS answers change.
import { isIP } from 'node:net';

export type AddressVerdict =
  { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Parsed settings; made by `createAddressRules`. */
export interface AddressRules {
  readonly entries: readonly Entry[];
  readonly deniedPorts: readonly Ports[];
}

export type BaseUrlVerdict =
  { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

/** Link-local and metadata addresses: always refused. */
const NEVER = ranges([
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]);

/** Everything but the public internet: allowed only inside an allowed range. */
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

/** IPv6 ranges that embed an IPv4 address, and how to extract it. */
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

const LOOPBACK = [
  { bits: 32, value: 0x7f00_0001n },
  { bits: 128, value: 1n },
] as const;

/** Names of metadata services, and of this machine. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);
const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost');

/**
 * The rules of a process. `allowed` has ranges, with or without ports: `10.0.0.0/8`,
 * `10.0.0.0/8:443`, `10.0.0.0/8:8000-8999`, `[fd00::/8]:443`. A range without ports allows every
 * port except `denied`, the ports of the gateway's own services, as `8080` or `8080-8086`. Throws a
 * RangeError that names an invalid entry.
 */
export function createAddressRules(settings: {
  allowed: readonly string[];
  denied?: readonly (string | number)[];
}): AddressRules {
  return {
    entries: settings.allowed.map(entryOf),
    deniedPorts: (settings.denied ?? []).map((item) => portsOf(String(item))),
  };
}

/** Whether a connection to an address is allowed; a zone id (`%eth0`) is ignored. */
export function checkAddress(ip: string, port: number, rules: AddressRules): AddressVerdict {
  const address = parseAddress(ip);
  if (address === undefined) return refused(`${ip} is not an IP address`);
  const meanings = [address, ...carriedBy(address)];
  if (meanings.some((meaning) => within(NEVER, meaning))) {
    return refused(`${ip} is a link-local or metadata address, which is never allowed`);
  }
  const entries = rules.entries.filter((entry) =>
    meanings.some((meaning) => contains(entry.range, meaning)),
  );
  const denied = rules.deniedPorts.some((ports) => includes(ports, port));
  if (entries.some(({ ports }) => (ports === undefined ? !denied : includes(ports, port)))) {
    return { ok: true };
  }
  if (meanings.every(isPublic)) return { ok: true };
  if (entries.length === 0) {
    return refused(`${ip} is not a public address, and no allowed range contains it`);
  }
  const entry = isIP(ip) === 6 ? `[${ip}/128]:${port}` : `${ip}/32:${port}`;
  return denied
    ? refused(
        `port ${port} of ${ip} is one that the gateway's own services use (UPSTREAM_DENIED_PORTS), which only an entry of UPSTREAM_ALLOWED_CIDRS with this port opens, such as ${entry}`,
      )
    : refused(
        `the entries of UPSTREAM_ALLOWED_CIDRS that contain ${ip} do not open port ${port}; one that does is ${entry}`,
      );
}

/** Default ports of the gateway's services, PostgreSQL and Redis. */
export const DEFAULT_DENIED_PORTS = [
  '3000',
  '5432',
  '6379',
  '8080-8086',
  '50051',
  '50052',
] as const;

/** The port of `host:port` or of a URL; undefined without one. */
export function writtenPort(address: string): number | undefined {
  const url = address.includes('://') ? address : `tcp://${address}`;
  const { port } = URL.canParse(url) ? new URL(url) : { port: '' };
  return port === '' ? undefined : Number(port);
}

/** The port that a base URL connects to. */
export function portOf(url: Pick<URL, 'port' | 'protocol'>): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Whether a provider may have this base URL, without a DNS lookup. The edge checks the resolved
 * address when it connects.
 */
export function checkBaseUrl(text: string, rules: AddressRules): BaseUrlVerdict {
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
  const verdict = checkHost(url.hostname, portOf(url), rules);
  return verdict.ok ? { ok: true, url } : verdict;
}

/** Checks ranges like `10.0.0.0/8`; a RangeError names an invalid one. */
export function checkCidrs(cidrs: readonly string[]): void {
  ranges(cidrs);
}

function checkHost(hostname: string, port: number, rules: AddressRules): AddressVerdict {
  // The URL parser has normalised every notation of an IPv4 address (0x7f.1, 2130706433).
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return checkAddress(host, port, rules);
  if (METADATA_NAMES.has(host)) return refused(`${host} is a metadata service`);
  if (!isLoopbackName(host)) return { ok: true };
  const [v4, v6] = [checkAddress('127.0.0.1', port, rules), checkAddress('::1', port, rules)];
  if (v4.ok || v6.ok) return { ok: true };
  const listed = rules.entries.some(({ range }) => LOOPBACK.some((ip) => contains(range, ip)));
  return listed ? v4 : refused(`${host} is this machine, and no allowed range contains it`);
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Addresses of one family that equal `network` above the last `hostBits` bits. */
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
  // `::` and `::1` are this machine's own, not embedded IPv4 addresses.
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

/** An allowed range; without ports it allows all but the denied ones. */
interface Entry {
  readonly range: Range;
  readonly ports: Ports | undefined;
}

interface Ports {
  readonly first: number;
  readonly last: number;
}

function includes({ first, last }: Ports, port: number): boolean {
  return first <= port && port <= last;
}

function entryOf(text: string): Entry {
  const [, six, four, ports] = /^(?:\[([^\]]*)\]|([^:]*\/[^:]*)):([^:]*)$/.exec(text) ?? [];
  const cidr = six ?? four;
  if (cidr === undefined || ports === undefined) return { range: range(text), ports: undefined };
  return { range: range(cidr), ports: portsOf(ports) };
}

const MAX_PORT = 65_535;

function portsOf(text: string): Ports {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const ports = { first: Number(first), last: Number(last) };
  const sound = 1 <= ports.first && ports.first <= ports.last && ports.last <= MAX_PORT;
  if (!sound) throw new RangeError(`${text} is not a port like 443, or ports like 8000-8999`);
  return ports;
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

// The URL parser has one notation for an IPv6 address: hexadecimal groups, `::` at most once.
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
