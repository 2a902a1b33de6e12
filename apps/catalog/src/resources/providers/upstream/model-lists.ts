import {
  authorizationOf,
  upstreamApiOf,
  type ModelList,
  type ModelType,
  type ProviderType,
  type rest,
  type UpstreamApi,
  type UpstreamFormat,
} from '@tollgate/contracts';
import { z } from 'zod';

import { typeOf } from './model-types';

/** How lists of models are asked for and read. Which list a provider type has is a fact of its row. */

/** A listed model without what `discover-models.ts` adds. */
export type Listed = Omit<rest.UpstreamModel, 'known' | 'modelId'>;

export interface Page {
  readonly models: Listed[];
  readonly next: string | null;
}

export interface ListWays {
  /** Path and query of a page; `after` is the next page named by the one before. */
  readonly target: (base: Base, after: string | null) => string;
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

const text = z.string().min(1).max(300);
const tokens = z.int().positive().max(100_000_000);
const asked = (value: number | undefined): number | null => value ?? null;
const optionalTokens = tokens.optional().catch(undefined);

const openAiList = z.object({
  data: z.array(z.object({ id: text, max_model_len: optionalTokens })),
});

/** What is particular to a shape of lists. */
interface ListShape {
  /** The query of a page, where the list has pages. */
  readonly paging?: (after: string | null) => string;
  readonly read: ListWays['read'];
}

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
    target: (base, after) => targetOf(url, base, list, paging?.(after)),
    headers,
    authorization: (secret) => authorizationOf(authHeader, secret),
    read,
  };
}

function targetOf(
  url: UpstreamApi['url'],
  { path, apiVersion }: Base,
  list: ModelList,
  paging: string | undefined,
): string {
  switch (url.shape) {
    case 'publisher':
    case 'model_id':
      throw new RangeError(`providers with URLs of the shape ${url.shape} have no lists`);
    case 'versioned_base':
      return `${path || url.usualVersion}${list.path}${paging === undefined ? '' : `?${paging}`}`;
    case 'deployment': {
      const version = query({ 'api-version': list.apiVersion ?? apiVersion });
      return `${path.replace(/\/openai$/, '')}/openai${list.path}?${version}`;
    }
  }
}

interface Known {
  displayName?: string | null;
  contextTokens?: number | null;
  maxOutputTokens?: number | null;
  methods?: readonly string[] | undefined;
}

function listed(upstreamModel: string, known: Known): Listed {
  const type: ModelType = typeOf(upstreamModel, known.methods);
  const { displayName = null, contextTokens = null, maxOutputTokens = null } = known;
  return { upstreamModel, displayName, type, contextTokens, maxOutputTokens };
}

function reading<T>(schema: z.ZodType<T>, page: (list: T) => Page): ListWays['read'] {
  return (body) => {
    const parsed = schema.safeParse(body);
    return parsed.success ? page(parsed.data) : undefined;
  };
}

function query(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return new URLSearchParams(given).toString();
}
