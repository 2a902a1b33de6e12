// Every model route: its family and its operation. A path is served with and without its version,
// because a base URL may contain the version.

import type { CloudName } from './clouds';
import { countVertexTokens, invoke, invokeWithStream, rawPredict } from './clouds/messages';
import { FAMILIES, type Family } from './family';
import { countMessageTokens, messages } from './formats/anthropic-messages';
import {
  countGenerateTokens,
  generateContent,
  streamGenerateContent,
} from './formats/gemini-generate';
import { batchEmbedContents, embedContent } from './formats/gemini-generate/embeddings';
import { chat } from './formats/openai-chat';
import { responses } from './formats/openai-responses';
import { compact, countInput } from './formats/openai-responses/compact';
import * as conversations from './formats/openai-responses/conversations';
import { cancel, inputItems, remove, retrieve } from './formats/openai-responses/stored';
import { completions } from './operations/completions';
import { embeddings } from './operations/embeddings';
import { imageEdits, imageGenerations, imageVariations } from './operations/images';
import { moderations } from './operations/moderations';
import { speech } from './operations/speech';
import { transcriptions, translations } from './operations/transcriptions';
import { classify, pooling } from './operations/vllm-pooling';
import { rerank, score } from './operations/vllm-scores';
import { detokenize, tokenize } from './operations/vllm-tokens';
import type { Operation } from './reply';

export interface Route {
  name: string;
  family: Family;
  operation: Operation;
  /** The model named in the path. */
  model?: string;
  usualModel?: string;
  /** The ids of stored objects in the path; such a request names no model. */
  ids?: Readonly<Record<string, string>>;
  /** Whether errors are written as an array of one. */
  listed?: boolean;
  /** The cloud that checks who calls; absent: any key is accepted. */
  cloud?: CloudName;
}

interface Row {
  name: string;
  path: string;
  operation: Operation;
  /** The model of a request that names none. */
  usualModel?: string;
}

const USUAL = { usualModel: 'sim' };

const OPENAI: Row[] = [
  { name: 'chat', path: '/chat/completions', operation: chat },
  { name: 'responses', path: '/responses', operation: responses },
  {
    name: 'response_input_tokens',
    path: '/responses/input_tokens',
    operation: countInput,
    ...USUAL,
  },
  { name: 'response_compact', path: '/responses/compact', operation: compact, ...USUAL },
  { name: 'completions', path: '/completions', operation: completions },
  { name: 'embeddings', path: '/embeddings', operation: embeddings },
  { name: 'moderations', path: '/moderations', operation: moderations, ...USUAL },
  { name: 'image_generation', path: '/images/generations', operation: imageGenerations, ...USUAL },
  { name: 'image_edit', path: '/images/edits', operation: imageEdits, ...USUAL },
  { name: 'image_variation', path: '/images/variations', operation: imageVariations, ...USUAL },
  { name: 'speech', path: '/audio/speech', operation: speech },
  { name: 'transcription', path: '/audio/transcriptions', operation: transcriptions },
  { name: 'translation', path: '/audio/translations', operation: translations },
];

/** Paths of the cloud-hosted variant that contain the deployment. */
const AZURE = new Set([
  '/chat/completions',
  '/completions',
  '/embeddings',
  '/images/generations',
  '/images/edits',
  '/audio/speech',
  '/audio/transcriptions',
  '/audio/translations',
]);

const VLLM: Row[] = [
  { name: 'tokenize', path: '/tokenize', operation: tokenize, ...USUAL },
  { name: 'detokenize', path: '/detokenize', operation: detokenize, ...USUAL },
  { name: 'pooling', path: '/pooling', operation: pooling, ...USUAL },
  { name: 'classify', path: '/classify', operation: classify, ...USUAL },
  { name: 'score', path: '/score', operation: score, ...USUAL },
  { name: 'rerank', path: '/rerank', operation: rerank, ...USUAL },
];

const ANTHROPIC: Row[] = [
  { name: 'messages', path: '/messages', operation: messages },
  { name: 'count_tokens', path: '/messages/count_tokens', operation: countMessageTokens },
];

const GEMINI: Readonly<Record<string, Omit<Row, 'path'>>> = {
  generateContent: { name: 'generate', operation: generateContent },
  streamGenerateContent: { name: 'generate', operation: streamGenerateContent },
  countTokens: { name: 'count_tokens', operation: countGenerateTokens },
  embedContent: { name: 'embeddings', operation: embedContent },
  batchEmbedContents: { name: 'embeddings', operation: batchEmbedContents },
};

const CONVERSATION = '/conversations/(?<conversation_id>[^/]+)';
const ITEM = `${CONVERSATION}/items/(?<item_id>[^/]+)`;

type StoredRow = readonly [method: string, path: RegExp, name: string, operation: Operation];

/** Stored responses and conversations, below the version. */
const STORED: readonly StoredRow[] = [
  ['GET', /^\/responses\/(?<response_id>[^/]+)$/, 'response_retrieve', retrieve],
  ['DELETE', /^\/responses\/(?<response_id>[^/]+)$/, 'response_delete', remove],
  ['POST', /^\/responses\/(?<response_id>[^/]+)\/cancel$/, 'response_cancel', cancel],
  ['GET', /^\/responses\/(?<response_id>[^/]+)\/input_items$/, 'response_input_items', inputItems],
  ['POST', /^\/conversations$/, 'conversation_create', conversations.create],
  ['GET', whole(CONVERSATION), 'conversation_retrieve', conversations.retrieve],
  ['POST', whole(CONVERSATION), 'conversation_update', conversations.update],
  ['DELETE', whole(CONVERSATION), 'conversation_delete', conversations.remove],
  ['GET', whole(`${CONVERSATION}/items`), 'conversation_items', conversations.listItems],
  ['POST', whole(`${CONVERSATION}/items`), 'conversation_items_create', conversations.createItems],
  ['GET', whole(ITEM), 'conversation_item_retrieve', conversations.retrieveItem],
  ['DELETE', whole(ITEM), 'conversation_item_delete', conversations.removeItem],
];

function whole(path: string): RegExp {
  return new RegExp(`^${path}$`);
}

const FIXED = new Map<string, Route>(
  [
    ...OPENAI.map((row) => ({ ...row, family: FAMILIES.openai })),
    ...VLLM.map((row) => ({ ...row, family: FAMILIES.vllm })),
    ...ANTHROPIC.map((row) => ({ ...row, family: FAMILIES.anthropic })),
  ].map(({ path, ...route }) => [path, route]),
);

const AZURE_DEPLOYMENT = /^\/openai\/deployments\/([^/]+)(\/.+)$/;
const AZURE_PLAIN =
  /^\/openai(?:\/v1)?(\/(?:responses(?:\/(?:compact|input_tokens))?|moderations|embeddings|chat\/completions))$/;
const GEMINI_MODEL = /^(?:\/v1(?:beta)?)?\/models\/(.+):([A-Za-z]+)$/;

/** The cloud-hosted variant serves its newer interface, without deployments, below a version. */
const VERSION = /^(?:\/v[12]|\/openai\/v1)(?=\/)/;

function storedRoute(method: string, path: string): Route | undefined {
  const below = path.replace(VERSION, '');
  const family = path.startsWith('/openai/') ? FAMILIES.azure : FAMILIES.openai;
  for (const [rowMethod, pattern, name, operation] of STORED) {
    const match = rowMethod === method ? pattern.exec(below) : null;
    if (match === null) continue;
    const ids = Object.entries(match.groups ?? {}).map(([place, id]) => [
      place,
      decodeURIComponent(id),
    ]);
    return { name, family, operation, ids: Object.fromEntries(ids) as Route['ids'] & object };
  }
  return undefined;
}

/** The route of a request to a model, or to a stored object. */
export function routeOf(method: string, path: string, query: URLSearchParams): Route | undefined {
  return storedRoute(method, path) ?? (method === 'POST' ? postRoute(path, query) : undefined);
}

const VERTEX =
  /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/(google|anthropic)\/models\/(.+):([A-Za-z]+)$/;
const BEDROCK = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/;
/** Bedrock's own host has no such prefix. Here its path would be that of another vendor. */
const BEDROCK_CHAT = '/bedrock/openai/v1/chat/completions';

function cloudRoute(path: string, query: URLSearchParams): Route | undefined {
  const [, publisher, model = '', method = ''] = VERTEX.exec(path) ?? [];
  const google = { family: FAMILIES.vertex, cloud: 'google' } as const;
  const named = { ...google, model: decodeURIComponent(model) };
  if (publisher === 'google') {
    const route = geminiRoute(decodeURIComponent(model), method, query);
    return route && { ...route, ...google };
  }
  if (publisher === 'anthropic') {
    if (model === 'count-tokens') {
      return { name: 'count_tokens', operation: countVertexTokens, ...google };
    }
    return /^(?:stream)?[rR]awPredict$/.test(method)
      ? { name: 'messages', operation: rawPredict(method !== 'rawPredict'), ...named }
      : undefined;
  }
  const aws = { family: FAMILIES.bedrock, cloud: 'aws' } as const;
  if (path === BEDROCK_CHAT) return { name: 'chat', operation: chat, ...aws };
  const [, id = '', action] = BEDROCK.exec(path) ?? [];
  if (id === '') return undefined;
  const operation = action === 'invoke' ? invoke : invokeWithStream;
  return { name: 'messages', operation, ...aws, model: decodeURIComponent(id) };
}

function postRoute(path: string, query: URLSearchParams): Route | undefined {
  const cloud = cloudRoute(path, query);
  if (cloud !== undefined) return cloud;
  const deployment = AZURE_DEPLOYMENT.exec(path);
  if (deployment !== null) {
    const [, model = '', rest = ''] = deployment;
    const route = AZURE.has(rest) && query.has('api-version') ? FIXED.get(rest) : undefined;
    return route && { ...route, family: FAMILIES.azure, model: decodeURIComponent(model) };
  }
  const plain = AZURE_PLAIN.exec(path)?.[1];
  if (plain !== undefined) {
    const route = FIXED.get(plain);
    return route && { ...route, family: FAMILIES.azure };
  }
  const [, model = '', method = ''] = GEMINI_MODEL.exec(path) ?? [];
  if (model !== '') return geminiRoute(decodeURIComponent(model), method, query);
  return FIXED.get(path.replace(/^\/v[12](?=\/)/, ''));
}

function geminiRoute(model: string, method: string, query: URLSearchParams): Route | undefined {
  const row = Object.hasOwn(GEMINI, method) ? GEMINI[method] : undefined;
  const listed = method === 'streamGenerateContent' && query.get('alt') !== 'sse';
  return row && { ...row, family: FAMILIES.gemini, model, listed };
}
