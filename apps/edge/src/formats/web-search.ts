// Web searches that a provider runs: the options that several formats have, the upstreams that can run
// another format's search, and the holds for them. Each format's folder decodes and encodes the search.

import {
  PROVIDER_TYPES,
  vendorByType,
  type ProviderType,
  type UpstreamFormat,
  type Vendor,
} from '@tollgate/contracts';

import type { DropList } from './drop-list';
import type { FormatName, JsonObject, NormalisedRequest } from './normalised';
import { ROWS, serverTools, type ServerTool } from './server-tools';

interface Option<T> {
  value: T;
  /** The path in the client's request. */
  path: string;
}

/** Options that more than one format has. */
interface SearchOptions {
  /** The most searches of one answer. */
  maxCalls: Option<number>;
  allowedDomains: Option<string[]>;
  blockedDomains: Option<string[]>;
  /** `{city, region, country, timezone}`; each may be absent. */
  userLocation: Option<JsonObject>;
  /** How much of the pages found the model reads: `low`, `medium` or `high`. */
  contextSize: Option<string>;
  /** The model must search before it answers. */
  forced: Option<true>;
  /** The client's list of allowed tools has the search. */
  allowed: Option<true>;
  /** The client wants the URLs of all pages found. */
  sources: Option<true>;
}

type SearchOption = keyof SearchOptions;

/** The first search tool of a request. It is also an extra under its `path`. */
export type WebSearchAsked = Partial<SearchOptions> & {
  path: string;
  /** Paths of options that only the client's format has. */
  others: string[];
};

/** A format with a search tool. Compatible servers of the format may lack the tool. */
interface Crossing {
  format: SearchFormat;
  /** The upstream format of the providers that run the search. */
  upstreamFormat: UpstreamFormat;
  /** What a bound on calls covers: one tool, or all tools of a request; absent: there is no bound. */
  bound?: 'tool' | 'request';
  /** The options that the format has, or that its answers satisfy anyway. */
  can: ReadonlySet<SearchOption>;
  /** Whether the target refuses the search of a request; absent: never. */
  refuses?: (request: NormalisedRequest) => boolean;
}

type SearchFormat = NonNullable<Vendor['webSearchIn']>;

/** The name of the search tool in the messages format; a function cannot have it too. */
export const WEB_SEARCH_TOOL = 'web_search';

const CROSSINGS: readonly Crossing[] = [
  {
    format: 'anthropic-messages',
    upstreamFormat: 'anthropic',
    bound: 'tool',
    can: new Set([
      'maxCalls',
      'allowedDomains',
      'blockedDomains',
      'userLocation',
      'forced',
      'allowed',
      'sources',
    ]),
    refuses: ({ tools }) => tools.some(({ name }) => name === WEB_SEARCH_TOOL),
  },
  {
    format: 'openai-responses',
    upstreamFormat: 'openai',
    bound: 'request',
    can: new Set([
      'maxCalls',
      'allowedDomains',
      'userLocation',
      'contextSize',
      'forced',
      'allowed',
    ]),
    // A chat request goes to the chat endpoint of these upstreams, which has its own search field.
    refuses: ({ format }) => format === 'openai-chat',
  },
  {
    format: 'gemini-generate',
    upstreamFormat: 'gemini',
    can: new Set(['allowed', 'sources']),
    // The vendor refuses a request with both a search and functions.
    refuses: ({ tools }) => tools.length > 0,
  },
];

/** Whether the search of a request can be sent in another format. */
function crosses(request: NormalisedRequest, { format, refuses }: Crossing): boolean {
  return (
    request.webSearch !== undefined && request.format !== format && refuses?.(request) !== true
  );
}

function searchesIn(format: SearchFormat, providerType: ProviderType): boolean {
  return vendorByType(providerType).webSearchIn === format;
}

/** In policy's spelling: `openai/PROVIDER_A`. */
function upstreamsOf({ format, upstreamFormat }: Crossing): string[] {
  return PROVIDER_TYPES.filter((type) => searchesIn(format, type)).map(
    (type) => `${upstreamFormat}/${type}`,
  );
}

/** The row that a request's search is sent by; undefined if it stays behind. */
function crossingTo(
  request: NormalisedRequest,
  format: FormatName,
  providerType: ProviderType,
): Crossing | undefined {
  const row = CROSSINGS.find((crossing) => crossing.format === format);
  if (row === undefined || !searchesIn(row.format, providerType)) return undefined;
  return crosses(request, row) ? row : undefined;
}

/** Whether the provider's own search tool replaces the client's, if it is called in this format. */
export function searchCrosses(
  request: NormalisedRequest,
  format: FormatName,
  providerType: ProviderType,
): boolean {
  return crossingTo(request, format, providerType) !== undefined;
}

/** The tools to hold for, one for each upstream format that can run the search. */
export function crossedSearches(
  request: NormalisedRequest,
): (ServerTool & { upstreams: string[] })[] {
  const { webSearch } = request;
  if (webSearch === undefined) return [];
  return CROSSINGS.filter((row) => crosses(request, row)).flatMap((row) => {
    const maxCalls = row.bound === undefined ? 0 : (webSearch.maxCalls?.value ?? 0);
    const bound = { maxCalls, sharesBound: row.bound === 'request' };
    const tools = serverTools(ROWS.webSearch, webSearch.path, bound);
    return tools.map((tool) => ({ ...tool, upstreams: upstreamsOf(row) }));
  });
}

interface CrossedSearch {
  asked: WebSearchAsked;
  /** Paths of extras that the target's search expresses, so they are not dropped. */
  said: ReadonlySet<string>;
}

/** The search for a target; undefined if it stays behind. Options that the target lacks are dropped. */
export function crossSearch(
  request: NormalisedRequest,
  format: FormatName,
  providerType: ProviderType,
  drops: DropList,
): CrossedSearch | undefined {
  const { webSearch } = request;
  const row = crossingTo(request, format, providerType);
  if (webSearch === undefined || row === undefined) return undefined;
  const { path, others, ...options } = webSearch;
  const said = new Set([path]);
  for (const other of others) drops.drop(other);
  for (const name of Object.keys(options) as SearchOption[]) {
    const option = options[name];
    if (option === undefined) continue;
    if (row.can.has(name)) said.add(option.path);
    else if (name !== 'contextSize' || option.value !== DEFAULT_CONTEXT) drops.drop(option.path);
  }
  return { asked: webSearch, said };
}

/** The default of `contextSize`. */
const DEFAULT_CONTEXT = 'medium';
