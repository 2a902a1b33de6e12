// Transcripts of agents as they are sent to models: code, logs, diffs, ids and blobs, without any data of a
// person. Made from a seed, so a hit can be looked at again.

type Random = () => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));
const from = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');

const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const uuid = (random: Random): string =>
  [8, 4, 4, 4, 12].map((length) => from(random, HEX, length)).join('-');
const version = (random: Random): string =>
  [between(random, 0, 30), between(random, 0, 40), between(random, 0, 400)].join('.');
const instant = (random: Random): string =>
  new Date(between(random, 1_600_000_000_000, 1_800_000_000_000)).toISOString();
const name = (random: Random): string => from(random, LETTERS, between(random, 3, 9));
const address = (random: Random): string =>
  `10.${[0, 0, 0].map(() => between(random, 0, 255)).join('.')}`;

const LINES: readonly ((random: Random) => string)[] = [
  (r) => `import { ${name(r)} } from '@${name(r)}/${name(r)}';`,
  (r) =>
    `  const ${name(r)} = await fetch(\`https://api.internal/v${between(r, 1, 3)}/${uuid(r)}\`);`,
  (r) =>
    `  if (${name(r)}.length > ${between(r, 10, 99_999)}) return [${between(r, 0, 9)}, ${between(r, 0, 255)}];`,
  (r) => `@Injectable() export class ${name(r)} extends ${name(r)}<${name(r)}> {}`,
  (r) => `npm install ${name(r)}@${version(r)} @types/${name(r)}@${version(r)} --save-exact`,
  (r) => `git clone git@github.com:${name(r)}/${name(r)}.git && git checkout ${from(r, HEX, 40)}`,
  (r) =>
    `@@ -${between(r, 1, 900)},${between(r, 1, 20)} +${between(r, 1, 900)},${between(r, 1, 20)} @@`,
  (r) => `+${from(r, DIGITS, between(r, 3, 13))},`,
  (r) => `-  timeout: ${between(r, 1, 600) * 1_000},`,
  (r) =>
    `${instant(r)} INFO ${name(r)}[${between(r, 1, 65_535)}]: took ${between(r, 1, 9_999)} ms, ${between(r, 1, 99)}.${between(r, 0, 99)}%`,
  (r) =>
    `{"ts":${between(r, 1_600_000_000_000, 1_800_000_000_000)},"trace_id":"${from(r, HEX, 32)}","span":"${from(r, HEX, 16)}","dur":${r().toFixed(12)}}`,
  (r) => `dd.trace_id=1${from(r, DIGITS, 18)} dd.span_id=2${from(r, DIGITS, 18)}`,
  (r) => `snowflake 17${from(r, DIGITS, 17)} at 17${from(r, DIGITS, 14)} us`,
  (r) =>
    `    at ${name(r)} (/app/node_modules/${name(r)}/dist/index.js:${between(r, 1, 9_999)}:${between(r, 1, 99)})`,
  (r) =>
    `${address(r)}:${between(r, 1_024, 65_535)} -> ${address(r)}:443 "GET /${name(r)} HTTP/1.1" 200 ${between(r, 1, 99_999)}`,
  (r) => `data:image/png;base64,${from(r, BASE64, between(r, 80, 400))}==`,
  (r) => `sha256:${from(r, HEX, 64)}  sha512-${from(r, BASE64, 86)}==`,
  (r) =>
    `arn:aws:iam::${from(r, DIGITS, 12)}:role/${name(r)} eni-0${from(r, HEX, 16)} vpc-${from(r, HEX, 8)}`,
  (r) =>
    `pod/${name(r)}-${from(r, HEX, 10)}-${from(r, LETTERS, 5)} 1/1 Running 0 ${between(r, 1, 99)}d`,
  (r) =>
    `| ${between(r, 1, 99)} | ${between(r, 1_000, 99_999)} | ${(r() * 1_000).toFixed(3)} | ${between(r, 1, 9)},${from(r, DIGITS, 3)},${from(r, DIGITS, 3)} |`,
  (r) => `lat ${(r() * 90).toFixed(7)}, lon -${(r() * 180).toFixed(7)}, zoom ${between(r, 1, 20)}`,
  (r) => `CREATE INDEX ${name(r)}_${name(r)}_idx ON ${name(r)} (${name(r)}, created_at DESC);`,
  (r) =>
    `#${from(r, HEX, 6)} rgba(${between(r, 0, 255)}, ${between(r, 0, 255)}, ${between(r, 0, 255)}, 0.${between(r, 1, 9)})`,
  (r) =>
    `PR #${between(r, 1, 99_999)} closes ${name(r).toUpperCase()}-${between(r, 1, 9_999)}, see RFC ${between(r, 1_000, 9_999)}`,
  (r) =>
    `order ${from(r, DIGITS, 3)}-${from(r, DIGITS, 7)}-${from(r, DIGITS, 7)} ref ${between(r, 2_020, 2_026)}-${from(r, DIGITS, 4)}/${from(r, DIGITS, 2)}`,
  (r) =>
    `v${version(r)}-rc.${between(r, 1, 9)}+build.${from(r, HEX, 7)} (${instant(r).slice(0, 10)})`,
  (r) => `matrix = [${Array.from({ length: 8 }, () => between(r, -999, 999)).join(', ')}]`,
  (r) =>
    `0x${from(r, HEX, 16)} 0b${from(r, '01', 16)} 1e-${between(r, 1, 12)} ${between(r, 1, 9)}_000_000n`,
  (r) =>
    `The ${name(r)} of the ${name(r)} is ${name(r)}; I ran the tests and ${between(r, 1, 500)} of ${between(r, 500, 900)} passed.`,
];

/** One transcript of some 4 KiB. */
export function transcript(seed: number): string {
  const random = seeded(seed);
  return Array.from({ length: between(random, 30, 50) }, () => {
    const line = LINES[Math.floor(random() * LINES.length)];
    return line?.(random) ?? '';
  }).join('\n');
}
