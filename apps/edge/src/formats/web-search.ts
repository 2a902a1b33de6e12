// Searches of the web that a provider makes by itself: what a request asks for in words that several
// formats have, to which upstreams it crosses over, and what is held for it there. How each format
// spells it stands in that format's own folder.

import {
  PROVIDER_TYPES,
  type ProviderType,
  type UpstreamFormat,
  type Vendor,
  vendorByType,
} from '@tollgate/contracts';
import type { DropList } from './drop-list';
import { ROWS, serverTools, type ServerTool } from './server-tools';
import type { FormatName, JsonObject, NormalisedRequest } from './normalised';

interface Option<T> {
  value: T;
  /** Where the client wrote it. */
  path: string;
}

/** What can be said of a search in more than one format. */
interface SearchOptions {
  /** The most searches of one answer. */
  maxCalls: Option<number>;
  allowedDomains: Option<string[]>;
  blockedDomains: Option<string[]>;
  /** `{city, region, country, timezone}`, as far as the client says. */
  userLocation: Option<JsonObject>;
  /** How much of what is found the model reads: `low`, `medium` or `high`. */
  contextSize: Option<string>;
  /** The model is not free to answer without a search. */
  forced: Option<true>;
  /** It is among the tools that may be called, where the client names those. */
  allowed: Option<true>;
  /** The client wants to see the addresses of all pages found. */
  sources: Option<true>;
}

type SearchOption = keyof SearchOptions;

/** The first search tool of a request; its field is among the extras too, by `path`. */
export type WebSearchAsked = Partial<SearchOptions> & {
  path: string;
  /** Paths of what only the client's format can say of it. */
  others: string[];
};

/** A format in which providers run a search. Servers that only speak it may lack the tool. */
interface Crossing {
  format: SearchFormat;
  /** Of the providers that run it. */
  upstreamFormat: UpstreamFormat;
  /** Where the calls can be bounded: in each tool, or for all tools of a request; absent: nowhere. */
  bound?: 'tool' | 'request';
  can: ReadonlySet<SearchOption>;
  /** A reason not to send the tool; absent: it can always be sent. */
  refuses?: (request: NormalisedRequest) => boolean;
}

type SearchFormat = NonNullable<Vendor['webSearchIn']>;

/** The search tool of the messages format has a name, which no function may have as well. */
export const TOOL_NAME = 'web_search';

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
    refuses: ({ tools }) => tools.some(({ name }) => name === TOOL_NAME),
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
    // Clients of the chat format are served in it, and its own upstreams search by its own field.
    refuses: ({ format }) => format === 'openai-chat',
  },
  {
    format: 'gemini-generate',
    upstreamFormat: 'gemini',
    can: new Set(['allowed', 'sources']),
    // The vendor refuses a search beside functions.
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

/** As policy names them. */
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

/** What is held for the search by each upstream that it crosses over to. */
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
  /** Extras that are said by it, and not dropped. */
  said: ReadonlySet<string>;
}

/** The search as a target can have it; what the target cannot say of it is dropped, by its path. */
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
    else if (name !== 'contextSize' || option.value !== USUAL_CONTEXT) drops.drop(option.path);
  }
  return { asked: webSearch, said };
}

/** What is so anyway where nothing is said. */
const USUAL_CONTEXT = 'medium';
