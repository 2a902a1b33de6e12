import type { ModelType, ProviderType, rest, UpstreamFormat } from '@tollgate/contracts';
import { z } from 'zod';
import { typeOf } from './model-types';

/** How each kind of upstream lists its models: path, and form of the answer. */

/** A listed model without `modelId`, which `discover-models.ts` adds. */
export type Listed = Omit<rest.UpstreamModel, 'modelId'>;

export type Page = { readonly models: Listed[]; readonly next: string | null };

export type ListWays = {
  /** Path and query of a page; `after` is the next page named by the one before. */
  readonly target: (base: Base, after: string | null) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: (secret: string) => readonly [name: string, value: string];
  /** Undefined when the body is not such a list. */
  readonly read: (body: unknown) => Page | undefined;
};

export type Base = {
  /** Path of the base URL, without a trailing slash. */
  readonly path: string;
  readonly apiVersion: string | null;
};

const text = z.string().min(1).max(300);
const tokens = z.int().positive().max(100_000_000);
const asked = (value: number | undefined): number | null => value ?? null;
const optionalTokens = tokens.optional().catch(undefined);

const openAiList = z.object({
  data: z.array(z.object({ id: text, max_model_len: optionalTokens })),
});

const OPENAI: ListWays = {
  target: ({ path }) => `${path || '/v1'}/models`,
  headers: {},
  authorization: (secret) => ['authorization', `Bearer ${secret}`],
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

const ANTHROPIC: ListWays = {
  target: ({ path }, after) =>
    `${path || '/v1'}/models?${query({ limit: '1000', after_id: after })}`,
  headers: { 'anthropic-version': '2023-06-01' },
  authorization: (secret) => ['x-api-key', secret],
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

const GEMINI: ListWays = {
  target: ({ path }, after) =>
    `${path || '/v1beta'}/models?${query({ pageSize: '1000', pageToken: after })}`,
  headers: {},
  authorization: (secret) => ['x-goog-api-key', secret],
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

const azure = (path: string): string => `${path.replace(/\/openai$/, '')}/openai`;

// Azure lists deployable models, which is enough to test the key.
const AZURE: ListWays = {
  ...OPENAI,
  target: ({ path, apiVersion }) => `${azure(path)}/models?${query({ 'api-version': apiVersion })}`,
  authorization: (secret) => ['api-key', secret],
};

/** The last API version in which a resource lists its own deployments. */
const DEPLOYMENTS_VERSION = '2023-03-15-preview';

const deploymentList = z.object({
  data: z.array(z.object({ id: text, model: text.optional() })),
});

// Calls name a deployment, so deployments are what can be registered.
const AZURE_DEPLOYMENTS: ListWays = {
  ...AZURE,
  target: ({ path }) =>
    `${azure(path)}/deployments?${query({ 'api-version': DEPLOYMENTS_VERSION })}`,
  read: reading(deploymentList, ({ data }) => ({
    models: data.map(({ id, model }) => ({
      ...listed(id, { displayName: model ?? null }),
      type: typeOf(model ?? id),
    })),
    next: null,
  })),
};

const WAYS: Readonly<Record<UpstreamFormat, ListWays>> = {
  openai: OPENAI,
  vllm: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
};

/** The requests that test a provider. */
export function testWays(type: ProviderType, format: UpstreamFormat): ListWays {
  return type === 'PROVIDER_F' ? AZURE : WAYS[format];
}

/** The requests that find models to register. */
export function discoveryWays(type: ProviderType, format: UpstreamFormat): ListWays {
  return type === 'PROVIDER_F' ? AZURE_DEPLOYMENTS : WAYS[format];
}

type Known = {
  displayName?: string | null;
  contextTokens?: number | null;
  maxOutputTokens?: number | null;
  methods?: readonly string[] | undefined;
};

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
