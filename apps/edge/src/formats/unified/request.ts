// A request in the gateway's own format, decoded and encoded.

import { markMessage } from '../cache-marks';
import { createDropList } from '../drop-list';
import type { EncodedRequest, TargetContext } from '../format';
import { otherFields, present } from '../json';
import type { ContentBlock, JsonObject, NormalisedMessage, NormalisedRequest } from '../normalised';
import { addNested } from '../openai-chat/nested';
import { decodeReplayedThinking, placeSeals } from '../openai-chat/thinking';
import {
  decodeResponseFormat,
  decodeToolChoice,
  decodeToolList,
  encodeResponseFormat,
  encodeTool,
  encodeToolChoice,
} from '../openai-chat/tools';
import { parsePayload } from '../schema';
import { decodeTemplateSwitch, decodeThinkingField } from '../thinking-field';
import { readToolError, sayToolError } from '../tool-errors';
import { encodeBlock, encodeToolCalls, isBlock, textIn, type UnifiedBlock } from './blocks';
import { unifiedRequest, type UnifiedMessage } from './wire';

const FIELDS: ReadonlySet<string> = new Set(Object.keys(unifiedRequest.shape));

export function decodeRequest(body: JsonObject): NormalisedRequest {
  const wire = parsePayload(unifiedRequest, body);
  const extras = otherFields(body, FIELDS);
  addNested(body, extras);
  const paths: Record<string, string> = {};
  const tools = decodeToolList(wire.tools ?? [], body['tools'], extras, paths);
  const responseFormat = wire.response_format && decodeResponseFormat(wire.response_format);
  if (wire.response_format && !responseFormat) extras['response_format'] = body['response_format'];
  return {
    format: 'unified',
    model: wire.model,
    messages: wire.messages.map(decodeMessage),
    tools,
    sampling: present({
      temperature: wire.temperature,
      topP: wire.top_p,
      topK: wire.top_k,
      stop: typeof wire.stop === 'string' ? [wire.stop] : wire.stop,
      presencePenalty: wire.presence_penalty,
      frequencyPenalty: wire.frequency_penalty,
      seed: wire.seed,
    }),
    n: 1,
    stream: wire.stream ?? false,
    includeUsage: wire.stream === true && wire.include_usage === true,
    ...decodeTemplateSwitch(extras),
    ...decodeThinkingField(wire.thinking, extras),
    ...present({
      provider: wire.provider,
      reasoningEffort: wire.reasoning_effort,
      toolChoice: wire.tool_choice && decodeToolChoice(wire.tool_choice),
      responseFormat,
      maxOutputTokens: wire.max_tokens,
      metadata: wire.metadata,
    }),
    extras,
    ...(Object.keys(paths).length > 0 ? { paths } : {}),
    raw: body,
  };
}

function decodeMessage(wire: UnifiedMessage): NormalisedMessage {
  return markMessage(decodeUnmarked(wire), wire);
}

function decodeUnmarked(wire: UnifiedMessage): NormalisedMessage {
  const content = joinContent(wire.content ?? [], wire.content_blocks ?? []);
  if (wire.role === 'tool') {
    const toolCallId = wire.tool_call_id ?? '';
    return { role: 'tool', content: [readToolError(toolCallId, content)] };
  }
  const named = present({ name: wire.name });
  if (wire.role !== 'assistant') return { role: wire.role, ...named, content };
  // Content blocks are complete; the other fields repeat them in the form of streams.
  const told = content.some(({ type }) => type === 'thinking');
  const thinking = told
    ? []
    : decodeReplayedThinking(wire.thinking_blocks ?? [], wire.reasoning_content);
  const said = [...thinking, ...content, ...(wire.tool_calls ?? [])];
  return { role: 'assistant', ...named, content: placeSeals(said) };
}

/** If the blocks hold the text too, `content` is only a plain copy; otherwise both count. */
function joinContent(content: ContentBlock[], blocks: ContentBlock[]): ContentBlock[] {
  const plain = textIn(content);
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  const repeated = texts.includes(plain) || texts.join('') === plain;
  const only = content.every((block) => block.type === 'text');
  return plain !== '' && repeated && only ? [...blocks] : [...content, ...blocks];
}

export function encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest {
  const drops = createDropList(target.strict, request);
  const { sampling, tools, toolChoice, responseFormat } = request;
  for (const name of unsaid(request)) drops.drop(name);
  const body: JsonObject = {
    model: target.model,
    messages: request.messages.flatMap((message, index) => {
      const { path = `messages[${index}]` } = message;
      return encodeMessage(message, (kind) => drops.drop(`${path}.${kind}`));
    }),
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
    ...present({
      tool_choice: toolChoice && encodeToolChoice(toolChoice),
      response_format: responseFormat && encodeResponseFormat(responseFormat),
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: sampling.topK,
      stop: sampling.stop,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      max_tokens: target.maxOutputTokens ?? request.maxOutputTokens,
      metadata: request.metadata,
      reasoning_effort: request.reasoningEffort,
      thinking: encodeBudget(request.reasoningBudget),
    }),
    ...(request.stream ? { stream: true, include_usage: true } : {}),
  };
  return { body, dropped: drops.finish() };
}

/** Parameters of the normalised request without a field in this format. */
function unsaid(request: NormalisedRequest): string[] {
  const { sampling } = request;
  const fields = present({
    parallel_tool_calls: request.parallelToolCalls,
    n: request.n > 1 ? request.n : undefined,
    logit_bias: sampling.logitBias,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
    user: request.endUser,
    service_tier: request.serviceTier,
    modalities: request.modalities,
    audio: request.audioOutput,
  });
  const extras = Object.keys(request.extras).filter(
    (path) => path !== request.reasoningBudget?.path,
  );
  return [...Object.keys(fields), ...extras];
}

function encodeBudget(budget: NormalisedRequest['reasoningBudget']): JsonObject | undefined {
  if (budget === undefined) return undefined;
  if (budget.tokens === 0) return { type: 'disabled' };
  if (budget.tokens < 0) return { type: 'adaptive' };
  return { type: 'enabled', budget_tokens: budget.tokens };
}

function encodeMessage(message: NormalisedMessage, dropAt: (kind: string) => void): JsonObject[] {
  const messages: JsonObject[] = [];
  const own: ContentBlock[] = [];
  for (const block of message.content) {
    if (block.type !== 'tool_result') {
      own.push(block);
      continue;
    }
    const { toolCallId: tool_call_id } = block;
    messages.push({ role: 'tool', tool_call_id, ...encodeContent(sayToolError(block), dropAt) });
  }
  if (message.role === 'tool') {
    for (const block of own) dropAt(block.type);
    return messages;
  }
  if (own.length > 0 || messages.length === 0) {
    const calls = encodeToolCalls(own);
    const { role, name } = message;
    messages.push({ role, ...present({ name }), ...encodeContent(own, dropAt), ...calls });
  }
  return messages;
}

function encodeContent(blocks: ContentBlock[], dropAt: (kind: string) => void): JsonObject {
  const said = blocks.filter((block) => block.type !== 'tool_call');
  const kept = said.filter(isBlock).filter(isSayable);
  for (const block of said) {
    if (!isBlock(block) || !isSayable(block))
      dropAt(block.type === 'other' ? block.kind : block.type);
  }
  const plain = kept.length <= 1 && kept.every((block) => block.type === 'text');
  const content = textIn(kept);
  return plain ? { content } : { content, content_blocks: kept.map(encodeBlock) };
}

/** The format has no field for a file's URL. */
function isSayable(block: UnifiedBlock): boolean {
  return block.type !== 'file' || block.url === undefined;
}
