// A unary message, decoded and encoded. The format has one choice.

import { emptyUsage, gatewayError } from '@tollgate/contracts';

import type { ReplyContext, ReportedCounts } from '../format';
import { arrayOf, isObject, objectOf, present, textOf } from '../json';
import type {
  Citation,
  ContentBlock,
  JsonObject,
  NormalisedResponse,
  TextBlock,
  ToolCallBlock,
} from '../normalised';
import { writeSeal } from '../seals';
import { invalidAnswer } from '../upstream-error';
import { parseInput } from './blocks';
import { decodeCitation, encodeCitation } from './citations';
import { ownSeal, SEALER } from './seal';
import { seeBlock, type SeenCalls } from './server-tools';
import { decodeStopReason, encodeStop, stopShown } from './stop-reason';
import { decodeServiceTier, decodeUsage, encodeUsage } from './usage';
import { decodeSearch, encodeSearch, isSearchUse, searchIdOf } from './web-search';

export function decodeResponse(body: unknown): NormalisedResponse {
  if (!isObject(body)) throw invalidAnswer('the body is not a JSON object');
  const wire = body['content'];
  if (!Array.isArray(wire)) throw invalidAnswer('it holds no content');
  const content = decodeAnswer(wire);
  const explanation = textOf(objectOf(body['stop_details'])?.['explanation']);
  if (explanation !== undefined) content.push({ type: 'refusal', text: explanation });
  const rawStopReason = textOf(body['stop_reason']) ?? '';
  const callsTools = content.some((block) => block.type === 'tool_call');
  return {
    id: textOf(body['id']) ?? '',
    model: textOf(body['model']) ?? '',
    choices: [
      {
        index: 0,
        content,
        stopReason: decodeStopReason(rawStopReason, callsTools),
        rawStopReason,
        ...present({ stopSequence: textOf(body['stop_sequence']) }),
      },
    ],
    ...decodeReported(body),
    raw: body,
  };
}

export function decodeReported(body: JsonObject): ReportedCounts {
  return present({
    usage: decodeUsage(body['usage'], callsIn(body)),
    serviceTier: decodeServiceTier(body['usage']),
  });
}

function decodeAnswer(wire: unknown[]): ContentBlock[] {
  let length = 0;
  const results = resultsIn(wire);
  return wire.flatMap((value): ContentBlock[] => {
    const block = decodeBlock(value, length);
    if (block.type === 'text') length += block.text.length;
    if (block.type !== 'other') return [block];
    // A search and its result become one block.
    if (results.has(searchIdOf(block.raw) ?? '')) return [];
    const id = textOf(block.raw['id']) ?? '';
    const result = isSearchUse(block.raw) ? results.get(id) : undefined;
    if (result === undefined) return [block];
    return [{ type: 'web_search', ...decodeSearch(id, block.raw['input'], result) }];
  });
}

/** Search results by the id of the block that started the search. */
function resultsIn(wire: unknown[]): Map<string, JsonObject> {
  const begun = new Set<string>();
  const results = new Map<string, JsonObject>();
  for (const value of wire) {
    const block = objectOf(value) ?? {};
    if (isSearchUse(block)) begun.add(textOf(block['id']) ?? '');
    const id = searchIdOf(block);
    if (id !== undefined && begun.has(id)) results.set(id, block);
  }
  return results;
}

/** `start` is the offset of a text within the whole. */
function decodeBlock(value: unknown, start: number): ContentBlock {
  const block = objectOf(value);
  const kind = textOf(block?.['type']);
  if (block === undefined || kind === undefined) throw invalidAnswer('its content has no type');
  switch (kind) {
    case 'text':
      return decodeText(block, start);
    case 'thinking': {
      const text = textOf(block['thinking']) ?? '';
      return { type: 'thinking', text, ...ownSeal({ signature: textOf(block['signature']) }) };
    }
    case 'redacted_thinking':
      return { type: 'thinking', text: '', ...ownSeal({ redacted: textOf(block['data']) ?? '' }) };
    case 'tool_use': {
      const name = textOf(block['name']);
      if (name === undefined) throw invalidAnswer('a tool call names no tool');
      const id = textOf(block['id']) ?? `call_${name}`;
      const text = JSON.stringify(block['input'] ?? {});
      return { type: 'tool_call', id, kind: 'function', name, arguments: text };
    }
    default:
      return { type: 'other', kind, raw: block };
  }
}

function decodeText(block: JsonObject, startIndex: number): TextBlock {
  const text = textOf(block['text']) ?? '';
  const endIndex = startIndex + text.length;
  const citations = arrayOf(block['citations']).flatMap((item): Citation[] => {
    const citation = decodeCitation(item);
    return citation === undefined ? [] : [{ ...citation, startIndex, endIndex }];
  });
  return { type: 'text', text, ...(citations.length > 0 ? { citations } : {}) };
}

export function encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject {
  const [choice] = response.choices;
  const content = choice?.content ?? [];
  const tokens = response.usage?.tokens ?? context.estimatedUsage ?? emptyUsage();
  const stops = context.request?.sampling.stop ?? [];
  const written = withoutEmptyEnd(content);
  return {
    ...encodeEnvelope(response.id, context),
    content: written.flatMap((block, at) => {
      if (block.type === 'web_search') return Object.values(encodeSearch(block, at));
      return encodeBlock(block, choice?.stopReason === 'length') ?? [];
    }),
    ...encodeStop(choice?.stopReason ?? 'other', {
      callsTools: content.some((block) => block.type === 'tool_call'),
      refuses: content.some((block) => block.type === 'refusal'),
      stopSequence: choice?.stopSequence ?? stopShown(textIn(content), stops),
    }),
    usage: encodeUsage(tokens, {
      serviceTier: response.serviceTier,
      units: response.usage?.units,
    }),
  };
}

/** The vendor's messages never end with a thought, and an empty one only carries a seal. */
function withoutEmptyEnd(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const end = content.findLastIndex((block) => !isEmpty(block));
  return content.slice(0, end + 1);
}

function isEmpty(block: ContentBlock): boolean {
  if (block.type !== 'thinking') return block.type === 'text' && block.text === '';
  return block.text === '' && block.redacted === undefined;
}

function textIn(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** The fields of a message other than its content. */
export function encodeEnvelope(id: string, context: ReplyContext): JsonObject {
  return {
    id: id || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
    container: null,
    diagnostics: null,
  };
}

/** Blocks of the vendor's own tools. Clients of this format do not know those of other vendors. */
const OWN_KINDS = /^(server_tool_use|mcp_tool_use|container_upload|.+_tool_result)$/;

/** Undefined for content that this format cannot express. */
function encodeBlock(block: ContentBlock, cutOff: boolean): JsonObject | undefined {
  switch (block.type) {
    case 'text': {
      const citations = block.citations?.map(encodeCitation) ?? null;
      return block.text === '' ? undefined : { type: 'text', text: block.text, citations };
    }
    case 'refusal':
      return { type: 'text', text: block.text, citations: null };
    case 'thinking': {
      const seal = writeSeal(block, SEALER);
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: seal };
      return { type: 'thinking', thinking: block.text, signature: seal ?? '' };
    }
    case 'tool_call':
      return { ...toolUse(block), input: inputOf(block, cutOff) };
    case 'image': {
      const text = imageText(block.url);
      return text === undefined ? undefined : { type: 'text', text, citations: null };
    }
    case 'audio':
      return block.transcript
        ? { type: 'text', text: block.transcript, citations: null }
        : undefined;
    case 'other':
      return OWN_KINDS.test(block.kind) ? block.raw : undefined;
    default:
      return undefined;
  }
}

export function toolUse({ id, name }: Pick<ToolCallBlock, 'id' | 'name'>): JsonObject {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
}

/** An image with a URL becomes a link; inline data would be megabytes of text. */
export function imageText(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? `![](${url})` : undefined;
}

/**
 * The input of a call, which is an object here. A call with broken arguments must not become one
 * without arguments, because clients would run it. In an answer that was cut off it may, as in the
 * vendor's own.
 */
export function inputOf(
  call: Pick<ToolCallBlock, 'kind' | 'name' | 'arguments'>,
  cutOff: boolean,
): JsonObject {
  if (call.kind === 'custom') return { input: call.arguments };
  const input = parseInput(call.arguments) ?? (cutOff ? {} : undefined);
  if (input !== undefined) return input;
  const message = `The model called ${call.name} with arguments that are not a whole JSON object.`;
  throw gatewayError('upstream_error', message);
}

function callsIn(body: JsonObject): SeenCalls {
  const seen: SeenCalls = { searches: 0, code: false };
  for (const block of arrayOf(body['content'])) seeBlock(seen, objectOf(block) ?? {});
  return seen;
}
