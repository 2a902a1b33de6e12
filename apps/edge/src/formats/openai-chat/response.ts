// A unary chat completion, decoded and encoded.

import type { ReplyContext, ReportedCounts } from '../format';
import { arrayOf, countOf, isObject, objectOf, present, textOf } from '../json';
import type {
  Citation,
  ContentBlock,
  JsonObject,
  NormalisedChoice,
  NormalisedResponse,
  ToolCallBlock,
} from '../normalised';
import { invalidAnswer } from '../upstream-error';
import { encodeImage, encodeToolCall } from './messages';
import { spokenParts } from './parts';
import { decodeStopReason, encodeStopReason, stopSequenceIn } from './stop-reason';
import { decodeThinking, encodeThinking } from './thinking';
import { decodeUsage, encodeUsage } from './usage';

export function decodeResponse(body: unknown): NormalisedResponse {
  if (!isObject(body)) throw invalidAnswer('the body is not a JSON object');
  const choices = body['choices'];
  if (!Array.isArray(choices) || choices.length === 0) {
    throw invalidAnswer('it holds no choices');
  }
  return {
    id: textOf(body['id']) ?? '',
    model: textOf(body['model']) ?? '',
    choices: choices.map(decodeChoice),
    ...present({
      createdAtS: countOf(body['created']),
      systemFingerprint: textOf(body['system_fingerprint']),
    }),
    ...decodeReported(body),
    raw: body,
  };
}

export function decodeReported(body: JsonObject): ReportedCounts {
  return present({
    usage: decodeUsage(body['usage']),
    serviceTier: textOf(body['service_tier']),
  });
}

function decodeChoice(value: unknown, position: number): NormalisedChoice {
  const choice = objectOf(value);
  const message = objectOf(choice?.['message']);
  if (choice === undefined || message === undefined) {
    throw invalidAnswer(`choices[${position}] holds no message`);
  }
  const content = decodeAnswer(message);
  const rawStopReason = textOf(choice['finish_reason']) ?? '';
  const callsTools = content.some((block) => block.type === 'tool_call');
  const stopSequence = stopSequenceIn(choice);
  return {
    index: countOf(choice['index']) ?? position,
    content,
    stopReason: decodeStopReason(rawStopReason, callsTools),
    rawStopReason,
    ...present({ logprobs: objectOf(choice['logprobs']), stopSequence }),
  };
}

function decodeAnswer(message: JsonObject): ContentBlock[] {
  const reasoning = textOf(message['reasoning_content']) ?? textOf(message['reasoning']);
  const blocks: ContentBlock[] = decodeThinking(message['thinking_blocks'], reasoning);
  blocks.push(...spokenParts(message['content']));
  const text = textOf(message['content']);
  const citations = arrayOf(message['annotations']).flatMap((item) => decodeCitation(item) ?? []);
  if (text !== undefined || citations.length > 0) {
    blocks.push({ type: 'text', text: text ?? '', ...(citations.length > 0 ? { citations } : {}) });
  }
  const refusal = textOf(message['refusal']);
  if (refusal !== undefined) blocks.push({ type: 'refusal', text: refusal });
  for (const image of arrayOf(message['images'])) {
    const url = imageUrl(image);
    if (url !== undefined) blocks.push({ type: 'image', url });
  }
  const audio = objectOf(message['audio']);
  if (audio !== undefined) blocks.push({ type: 'audio', ...decodeAudio(audio) });
  for (const call of arrayOf(message['tool_calls'])) blocks.push(decodeToolCall(call));
  const legacy = objectOf(message['function_call']);
  if (legacy !== undefined) {
    const name = textOf(legacy['name']) ?? '';
    blocks.push(decodeToolCall({ id: `call_${name}`, function: legacy }));
  }
  return blocks;
}

function decodeToolCall(value: unknown): ToolCallBlock {
  const call = objectOf(value) ?? {};
  const custom = objectOf(call['custom']);
  const called = custom ?? objectOf(call['function']) ?? {};
  const name = textOf(called['name']);
  if (name === undefined) throw invalidAnswer('a tool call names no tool');
  return {
    type: 'tool_call',
    id: textOf(call['id']) ?? `call_${name}`,
    kind: custom === undefined ? 'function' : 'custom',
    name,
    arguments: textOf(custom === undefined ? called['arguments'] : called['input']) ?? '',
  };
}

export function imageUrl(value: unknown): string | undefined {
  return textOf(objectOf(objectOf(value)?.['image_url'])?.['url']);
}

export function decodeAudio(audio: JsonObject) {
  return present({
    id: textOf(audio['id']),
    data: textOf(audio['data']),
    transcript: textOf(audio['transcript']),
    expiresAtS: countOf(audio['expires_at']),
  });
}

export function decodeCitation(value: unknown): Citation | undefined {
  const source = objectOf(objectOf(value)?.['url_citation']);
  const url = textOf(source?.['url']);
  if (source === undefined || url === undefined) return undefined;
  return {
    url,
    ...present({
      title: textOf(source['title']),
      startIndex: countOf(source['start_index']),
      endIndex: countOf(source['end_index']),
    }),
  };
}

/** Clients rely on all fields. */
export function encodeCitation(citation: Citation): JsonObject {
  const { url, title = '', startIndex = 0, endIndex = startIndex } = citation;
  const fields = { title, start_index: startIndex, end_index: endIndex };
  return { type: 'url_citation', url_citation: { url, ...fields } };
}

export function encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject {
  const tokens = response.usage?.tokens ?? context.estimatedUsage;
  const legacy = context.legacyFunctions ?? false;
  return {
    id: response.id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion',
    created: response.createdAtS ?? context.createdAtS,
    model: context.model,
    choices: response.choices.map((choice) => encodeChoice(choice, legacy)),
    ...present({
      usage: tokens && encodeUsage(tokens),
      service_tier: encodeTier(response.serviceTier),
      system_fingerprint: response.systemFingerprint,
    }),
  };
}

function encodeChoice(choice: NormalisedChoice, legacy: boolean): JsonObject {
  return {
    index: choice.index,
    message: encodeAnswer(choice.content, legacy),
    logprobs: choice.logprobs ? encodeLogprobs(choice.logprobs) : null,
    finish_reason: encodeStopReason(choice.stopReason, legacy),
  };
}

export function encodeAnswer(content: ContentBlock[], legacyFunctions: boolean): JsonObject {
  const calls = content.filter((block) => block.type === 'tool_call');
  const texts = content.filter((block) => block.type === 'text');
  const refusals = content.filter((block) => block.type === 'refusal');
  const thinking = content.filter((block) => block.type === 'thinking');
  const images = content.filter((block) => block.type === 'image');
  const audio = content.find((block) => block.type === 'audio');
  const citations = texts.flatMap((block) => block.citations ?? []);
  const [call] = calls;
  const sealed = thinking.some((block) => block.signature ?? block.redacted);
  const reasoning = thinking.map((block) => block.text).join('');
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.map((block) => block.text).join('') : null,
    refusal: refusals.length > 0 ? refusals.map((block) => block.text).join('') : null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(sealed ? { thinking_blocks: thinking.map(encodeThinking) } : {}),
    ...(citations.length > 0 ? { annotations: citations.map(encodeCitation) } : {}),
    ...(images.length > 0 ? { images: images.map(encodeImage) } : {}),
    ...(audio === undefined ? {} : { audio: { ...KEPT_NOWHERE, ...encodeAudio(audio) } }),
    ...(call === undefined
      ? {}
      : legacyFunctions
        ? { function_call: { name: call.name, arguments: call.arguments } }
        : { tool_calls: calls.map(encodeToolCall) }),
  };
}

/** The vendor's own service tiers; other providers have more. */
const TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  standard: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  fast: 'fast',
};

export function encodeTier(tier: string | undefined): string | undefined {
  return tier !== undefined && Object.hasOwn(TIERS, tier) ? TIERS[tier] : undefined;
}

export function encodeLogprobs(logprobs: JsonObject): JsonObject {
  return { content: null, refusal: null, ...logprobs };
}

/** Audio without a reusable id; clients rely on all fields. */
const KEPT_NOWHERE = { id: '', data: '', expires_at: 0, transcript: '' };

export function encodeAudio(audio: {
  id?: string;
  data?: string;
  transcript?: string;
  expiresAtS?: number;
}): JsonObject {
  const { id, data, transcript, expiresAtS } = audio;
  return present({ id, data, transcript, expires_at: expiresAtS });
}
