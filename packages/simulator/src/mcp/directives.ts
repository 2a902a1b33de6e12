// How an MCP server of the simulator is asked to behave: by its name, which is the last part of its URL,
// since a URL is what a gateway is configured with, or by the header `x-sim-directives` on a direct call.
// Names follow the rules of models: `sim-legacy+status-503+calls`. The words for faults that models have
// as well are read by ../directives.ts.

import { readDirectives, type Directives } from '../directives';

/** Words of ../directives.ts that act on MCP servers too. */
type SharedFaults = Pick<
  Directives,
  | 'status'
  | 'retry-after'
  | 'fail-first'
  | 'timeout'
  | 'reset'
  | 'slow-first-byte'
  | 'cut-at'
  | 'end-at'
  | 'garbage'
>;

export interface McpDirectives extends SharedFaults {
  /** Speaks only the stateful revisions, until 2025-11-25. */
  legacy?: true;
  /** Speaks only the stateless revision, from 2026-07-28 on. */
  modern?: true;
  /** Answers unary JSON wherever the revision allows it. */
  json?: true;
  /** Reads messages as parsers of other languages do (loose.ts). */
  loose?: true;
  /** Faults happen to `tools/call` only. */
  calls?: true;
  /** Redirects to the server `redirected` of the same simulator. */
  redirect?: true;
  /** Redirects to the address of cloud metadata. */
  'redirect-away'?: true;
  /** Sends N bytes of the answer's body, then nothing, with the connection open. */
  'stall-at'?: number;
  /** Divides each list into N pages. */
  pages?: number;
  /** Forgets a session after N requests in it. */
  'forget-after'?: number;
  /** Refuses requests without this bearer token with 401. */
  bearer?: string;
}

type Flag = {
  [K in keyof McpDirectives]-?: McpDirectives[K] extends true | undefined ? K : never;
}[keyof McpDirectives];
type OwnFlag = Exclude<Flag, keyof SharedFaults>;
type OwnAmount = 'stall-at' | 'pages' | 'forget-after';

const FLAGS: Readonly<Record<OwnFlag, true>> = {
  legacy: true,
  modern: true,
  json: true,
  loose: true,
  calls: true,
  redirect: true,
  'redirect-away': true,
};

const AMOUNTS: Readonly<Record<OwnAmount, number>> = {
  'stall-at': 100_000_000,
  pages: 100,
  'forget-after': 1_000_000,
};

/** Plain names that stand for directives. */
const ALIASES: Readonly<Record<string, string>> = { paged: 'sim-pages-3' };

export function readMcpDirectives(name: string, header: string | undefined): McpDirectives {
  const meaning = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const directives: McpDirectives = readDirectives(meaning, header);
  const named = meaning.startsWith('sim') ? meaning.split(/[+.]/) : [];
  const asked = header === undefined ? [] : header.split(/[+.,\s]+/);
  for (const word of [...named, ...asked]) readWord(word.replace(/^sim-/, ''), directives);
  return directives;
}

function readWord(word: string, directives: McpDirectives): void {
  if (Object.hasOwn(FLAGS, word)) {
    directives[word as OwnFlag] = true;
    return;
  }
  const bearer = /^bearer-([\w-]{1,64})$/.exec(word)?.[1];
  if (bearer !== undefined) directives.bearer = bearer;
  const [, name = '', digits = ''] = /^(.+)-(\d{1,9})$/.exec(word) ?? [];
  if (!Object.hasOwn(AMOUNTS, name)) return;
  const amount = name as OwnAmount;
  directives[amount] = Math.min(Number(digits), AMOUNTS[amount]);
}
