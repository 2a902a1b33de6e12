// A unary answer in the gateway's own format, encoded and decoded. It has one choice.

import { emptyUsage, tokensIn, tokensOut } from '@tollgate/contracts';

import type { ReplyContext, ReportedCounts } from '../format';
import { arrayOf, countOf, isObject, objectOf, present, textOf } from '../json';
import type {
  ContentBlock,
  JsonObject,
  NormalisedResponse,
  ReportedUsage,
  StopReason,
  ToolCallBlock,
} from '../normalised';
import { decodeAudio, decodeCitation } from '../openai-chat/response';
import { serverSeal } from '../openai-chat/thinking';
import { invalidAnswer } from '../upstream-error';
import { encodeBlock, encodeToolCalls, isBlock, textIn } from './blocks';

export function encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject {
  const [choice] = response.choices;
  const content = choice?.content ?? [];
  const blocks = content.filter(isBlock);
  const structured = blocks.some((block) => block.type !== 'text' || block.citations);
  const estimate = context.estimatedUsage ?? emptyUsage();
  return {
    provider: context.provider,
    model: context.model,
    content: textIn(content),
    stop_reason: choice?.stopReason ?? 'other',
    // The provider's own totals, on its own basis.
    input_tokens: response.usage?.inputTokens ?? tokensIn(estimate),
    output_tokens: response.usage?.outputTokens ?? tokensOut(estimate),
    ...(structured ? { content_blocks: blocks.map(encodeBlock) } : {}),
    ...encodeToolCalls(content),
  };
}

const STOP_REASONS = {
  stop: true,
  length: true,
  tool_calls: true,
  content_filter: true,
  refusal: true,
  pause: true,
  error: true,
  other: true,
} as const satisfies Record<StopReason, true>;

function isStopReason(word: string): word is StopReason {
  return Object.hasOwn(STOP_REASONS, word);
}

export function decodeResponse(body: unknown): NormalisedResponse {
  if (!isObject(body)) throw invalidAnswer('the body is not a JSON object');
  const { content, stop_reason: stopReason } = body;
  if (typeof content !== 'string') throw invalidAnswer('it holds no content');
  const blocks = arrayOf(body['content_blocks']).flatMap((block) => decodeBlock(block) ?? []);
  const text: ContentBlock[] = content === '' ? [] : [{ type: 'text', text: content }];
  const calls = arrayOf(body['tool_calls']).map(decodeCall);
  const rawStopReason = textOf(stopReason) ?? '';
  return {
    id: '',
    model: textOf(body['model']) ?? '',
    choices: [
      {
        index: 0,
        content: [...(blocks.length > 0 ? blocks : text), ...calls],
        stopReason: isStopReason(rawStopReason) ? rawStopReason : 'other',
        rawStopReason,
      },
    ],
    ...decodeReported(body),
    raw: body,
  };
}

export function decodeReported(body: JsonObject): ReportedCounts {
  return present({ usage: decodeUsage(body) });
}

/** Only totals are known, so all tokens count as plain input and output. */
function decodeUsage(body: JsonObject): ReportedUsage | undefined {
  const inputTokens = countOf(body['input_tokens']);
  const outputTokens = countOf(body['output_tokens']);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const tokens = { ...emptyUsage(), input: inputTokens, output: outputTokens };
  return { tokens, inputTokens, outputTokens };
}

function decodeBlock(value: unknown): ContentBlock | undefined {
  const block = objectOf(value) ?? {};
  switch (block['type']) {
    case 'text': {
      const citations = arrayOf(block['annotations']).flatMap((item) => decodeCitation(item) ?? []);
      const text = textOf(block['text']) ?? '';
      return { type: 'text', text, ...(citations.length > 0 ? { citations } : {}) };
    }
    case 'refusal':
      return { type: 'refusal', text: textOf(block['refusal']) ?? '' };
    case 'image_url': {
      const image = objectOf(block['image_url']) ?? {};
      const url = textOf(image['url']) ?? '';
      return { type: 'image', url, ...present({ detail: textOf(image['detail']) }) };
    }
    case 'audio': {
      const audio = objectOf(block['audio']) ?? {};
      const format = textOf(audio['format']);
      return { type: 'audio', ...decodeAudio(audio), ...present({ format }) };
    }
    case 'file': {
      const file = objectOf(block['file']) ?? {};
      const { file_data: data, file_id: fileId, filename } = file;
      return {
        type: 'file',
        ...present({ data: textOf(data), fileId: textOf(fileId), filename: textOf(filename) }),
      };
    }
    case 'thinking': {
      return { type: 'thinking', text: textOf(block['thinking']) ?? '', ...serverSeal(block) };
    }
    case 'redacted_thinking':
      return { type: 'thinking', text: '', ...serverSeal(block) };
    default:
      return undefined;
  }
}

function decodeCall(value: unknown): ToolCallBlock {
  const call = objectOf(value) ?? {};
  const custom = objectOf(call['custom']);
  const called = custom ?? objectOf(call['function']) ?? {};
  return {
    type: 'tool_call',
    id: textOf(call['id']) ?? '',
    kind: custom === undefined ? 'function' : 'custom',
    name: textOf(called['name']) ?? '',
    arguments: textOf(custom === undefined ? called['arguments'] : called['input']) ?? '',
  };
}
