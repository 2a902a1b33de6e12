// Lists of models in the client's format: Anthropic's clients send `anthropic-version`, Google's
// their key header or `/v1beta`. Every name can be looked up.

import type { IncomingHttpHeaders } from 'node:http';

import type { JsonObject } from '../json';

const CREATED_S = 1_700_000_000;
const CONTEXT_TOKENS = 131_072;

export type Dialect = 'openai' | 'anthropic' | 'gemini';

export function dialectOf(path: string, headers: IncomingHttpHeaders): Dialect {
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  const google = path.startsWith('/v1beta/') || headers['x-goog-api-key'] !== undefined;
  return google ? 'gemini' : 'openai';
}

const ROWS: Readonly<Record<Dialect, (id: string) => JsonObject>> = {
  openai: (id) => ({
    id,
    object: 'model',
    created: CREATED_S,
    owned_by: 'simulator',
    max_model_len: CONTEXT_TOKENS,
  }),
  anthropic: (id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(CREATED_S * 1000).toISOString(),
  }),
  gemini: (id) => ({
    name: `models/${id}`,
    version: '1',
    displayName: id,
    description: 'A model of the simulator.',
    inputTokenLimit: CONTEXT_TOKENS,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: true,
  }),
};

export function modelRow(dialect: Dialect, id: string): JsonObject {
  return ROWS[dialect](id);
}

export function modelList(dialect: Dialect, models: readonly string[]): JsonObject {
  const rows = models.map(ROWS[dialect]);
  switch (dialect) {
    case 'openai':
      return { object: 'list', data: rows };
    case 'anthropic':
      return { data: rows, has_more: false, first_id: models[0], last_id: models.at(-1) };
    case 'gemini':
      return { models: rows };
  }
}
