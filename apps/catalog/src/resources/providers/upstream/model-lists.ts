import {
  authorizationOf,
  upstreamApiOf,
  type ModelList,
  type ProviderType,
  type UpstreamApi,
  type UpstreamFormat,
} from '@tollgate/contracts';
import { z } from 'zod';

import { BEDROCK, bedrockOrigin, bedrockTarget, VERTEX } from './cloud-lists';
import { listed, query, reading, text, type Listed, type ListShape, type Page } from './list-shape';
import { typeOf } from './model-types';

/** How lists of models are asked for and read. Which list a provider type has is a fact of its row. */

export interface ListWays {
  /** Path and query of a page; `after` is the next page named by the one before. */
  readonly target: (base: Base, after: string | null) => string;
  /** Where the list is; undefined: not at a host that the base URL leads to. */
  readonly origin: (base: URL) => string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: (secret: string) => readonly [name: string, value: string];
  /** Undefined when the body is not such a list. */
  readonly read: (body: unknown) => Page | undefined;
}

export interface Base {
  /** Path of the base URL, without a trailing slash. */
  readonly path: string;
  readonly apiVersion: string | null;
}

const tokens = z.int().positive().max(100_000_000);
const asked = (value: number | undefined): number | null => value ?? null;
const optionalTokens = tokens.optional().catch(undefined);

const openAiList = z.object({
  data: z.array(z.object({ id: text, max_model_len: optionalTokens })),
});

const OPENAI: ListShape = {
  read: reading(openAiList, ({ data }) => ({
    models: data.map(({ id, max_model_len: contextTokens }) =>
      listed(id, { contextTokens: asked(contextTokens) }),
    ),
    next: null,
  })),
};

const anthropicList = z.object({
  data: z.array(
    z.object({
      id: text,
      display_name: text.optional(),
      max_input_tokens: optionalTokens,
      max_tokens: optionalTokens,
    }),
  ),
  has_more: z.boolean().default(false),
  last_id: text.nullish(),
});

const ANTHROPIC: ListShape = {
  paging: (after) => query({ limit: '1000', after_id: after }),
  read: reading(anthropicList, ({ data, has_more: more, last_id: last }) => ({
    models: data.map((row) =>
      listed(row.id, {
        displayName: row.display_name ?? null,
        contextTokens: asked(row.max_input_tokens),
        maxOutputTokens: asked(row.max_tokens),
      }),
    ),
    next: more ? (last ?? null) : null,
  })),
};

const geminiList = z.object({
  models: z.array(
    z.object({
      name: text,
      displayName: text.optional(),
      inputTokenLimit: optionalTokens,
      outputTokenLimit: optionalTokens,
      supportedGenerationMethods: z.array(z.string()).optional(),
    }),
  ),
  nextPageToken: z.string().min(1).max(2000).optional(),
});

const GEMINI: ListShape = {
  paging: (after) => query({ pageSize: '1000', pageToken: after }),
  read: reading(geminiList, ({ models, nextPageToken }) => ({
    models: models.map((row) =>
      listed(row.name.replace(/^models\//, ''), {
        displayName: row.displayName ?? null,
        contextTokens: asked(row.inputTokenLimit),
        maxOutputTokens: asked(row.outputTokenLimit),
        methods: row.supportedGenerationMethods,
      }),
    ),
    next: nextPageToken ?? null,
  })),
};

const deploymentList = z.object({
  data: z.array(z.object({ id: text, model: text.optional() })),
});

const DEPLOYMENTS: ListShape = {
  read: reading(deploymentList, ({ data }) => ({
    models: data.map(({ id, model }) => ({
      ...listed(id, { displayName: model ?? null }),
      type: typeOf(model ?? id),
    })),
    next: null,
  })),
};

const SHAPES: Readonly<Record<ModelList['shape'], ListShape>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  deployments: DEPLOYMENTS,
  vertex: VERTEX,
  bedrock: BEDROCK,
};

/** The requests that test a provider; undefined: it has no list. */
export function testWays(type: ProviderType, format: UpstreamFormat): ListWays | undefined {
  const api = upstreamApiOf(type, format);
  return api.testList === null ? undefined : listWays(api, api.testList);
}

/** The requests that find models to register; undefined: it has no list. */
export function discoveryWays(type: ProviderType, format: UpstreamFormat): ListWays | undefined {
  const api = upstreamApiOf(type, format);
  return api.discoveryList === null ? undefined : listWays(api, api.discoveryList);
}

function listWays({ url, authHeader, headers }: UpstreamApi, list: ModelList): ListWays {
  const { paging, read } = SHAPES[list.shape];
  return {
    origin: list.shape === 'bedrock' ? bedrockOrigin : ({ origin }) => origin,
    target: (base, after) => targetOf(url, base, list, paging?.(after)),
    headers,
    authorization: (secret) => authorizationOf(authHeader, secret),
    read: (body) => onlyOf(list, read(body)),
  };
}

function onlyOf({ only }: ModelList, page: Page | undefined): Page | undefined {
  if (only === undefined || page === undefined) return page;
  const isServed = ({ upstreamModel: name }: Listed): boolean =>
    name.startsWith(only) || name.includes(`.${only}`);
  return { ...page, models: page.models.filter(isServed) };
}

function targetOf(
  url: UpstreamApi['url'],
  { path, apiVersion }: Base,
  list: ModelList,
  paging: string | undefined,
): string {
  const asked = paging === undefined ? '' : `?${paging}`;
  // The lists of clouds are not below the path of calls.
  if (list.shape === 'vertex') return `${list.path}${asked}`;
  if (list.shape === 'bedrock') return bedrockTarget(path, list.path, paging);
  switch (url.shape) {
    case 'publisher':
    case 'model_id':
      throw new RangeError(`the list of models has no URL of the shape ${url.shape}`);
    case 'versioned_base':
      return `${path || url.usualVersion}${list.path}${asked}`;
    case 'deployment': {
      const version = query({ 'api-version': list.apiVersion ?? apiVersion });
      return `${path.replace(/\/openai$/, '')}/openai${list.path}?${version}`;
    }
  }
}
