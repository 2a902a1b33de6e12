// Folds a stream into the equivalent unary answer.

import type {
  AudioBlock,
  NormalisedChoice,
  NormalisedResponse,
  StreamEvent,
  TextBlock,
  ToolCallBlock,
} from './normalised';
import { sealOf } from './seals';

/** @throws the error of a stream that failed */
export function foldStream(events: Iterable<StreamEvent>): NormalisedResponse {
  const fold = createFold();
  for (const event of events) fold.take(event);
  return fold.response();
}

export interface AnswerFold {
  /** @throws the error of a stream that failed */
  readonly take: (event: StreamEvent) => void;
  /** The answer so far. */
  readonly response: () => NormalisedResponse;
}

export function createFold(): AnswerFold {
  const response: NormalisedResponse = { id: '', model: '', choices: [] };
  const choices = new Map<number, ChoiceFold>();
  const choiceOf = (index: number): ChoiceFold => {
    const known = choices.get(index) ?? createChoiceFold(index);
    choices.set(index, known);
    return known;
  };
  return {
    take: (event) => {
      switch (event.type) {
        case 'start': {
          const { type: _, inputUsage: __, ...fields } = event;
          Object.assign(response, fields);
          return;
        }
        case 'usage':
          response.usage = event.usage;
          return;
        case 'units':
        case 'end':
          return;
        case 'error':
          throw event.error;
        default:
          choiceOf(event.choice).take(event);
      }
    },
    response: () => {
      const inOrder = [...choices.values()].map((fold) => fold.choice);
      return { ...response, choices: inOrder.sort((a, b) => a.index - b.index) };
    },
  };
}

type Delta = Extract<StreamEvent, { choice: number }>;

interface ChoiceFold {
  choice: NormalisedChoice;
  take(delta: Delta): void;
}

function createChoiceFold(index: number): ChoiceFold {
  const choice: NormalisedChoice = { index, content: [], stopReason: 'other', rawStopReason: '' };
  const tools = new Map<number, ToolCallBlock>();

  function take(delta: Delta): void {
    switch (delta.type) {
      case 'text':
        if (delta.text !== '') appendTo('text', delta.text);
        return addLogprobs(choice, delta.logprobs);
      case 'refusal':
        appendTo('refusal', delta.text);
        return addLogprobs(choice, delta.logprobs);
      case 'thinking':
        return takeThinking(choice, delta);
      case 'citation': {
        const text = lastText(choice);
        text.citations = [...(text.citations ?? []), delta.citation];
        return;
      }
      case 'web_search':
        choice.content.push({ type: 'web_search', ...delta.search });
        return;
      case 'image':
        choice.content.push({ type: 'image', url: delta.url });
        return;
      case 'audio':
        return takeAudio(choice, delta);
      case 'tool_start': {
        const { id, kind, name } = delta;
        const call: ToolCallBlock = { type: 'tool_call', id, kind, name, arguments: '' };
        tools.set(delta.tool, call);
        choice.content.push(call);
        return;
      }
      case 'tool_delta': {
        const call = tools.get(delta.tool);
        if (call !== undefined) call.arguments += delta.arguments;
        return;
      }
      case 'stop':
        choice.stopReason = delta.reason;
        choice.rawStopReason = delta.rawReason;
        if (delta.stopSequence !== undefined) choice.stopSequence = delta.stopSequence;
    }
  }

  function appendTo(type: 'text' | 'refusal', text: string): void {
    const last = choice.content.at(-1);
    if (last?.type === type) last.text += text;
    else choice.content.push({ type, text });
  }

  return { choice, take };
}

function takeThinking(
  { content }: NormalisedChoice,
  delta: Extract<Delta, { type: 'thinking' }>,
): void {
  const last = content.at(-1);
  const { text = '' } = delta;
  const seal = sealOf(delta);
  if (seal.redacted !== undefined) {
    content.push({ type: 'thinking', text: '', ...seal });
    return;
  }
  const open = last?.type === 'thinking' && last.signature === undefined && !last.redacted;
  const block = open ? last : { type: 'thinking' as const, text: '' };
  if (!open) content.push(block);
  block.text += text;
  Object.assign(block, seal);
}

function takeAudio({ content }: NormalisedChoice, delta: Extract<Delta, { type: 'audio' }>): void {
  let audio: AudioBlock | undefined = content.find((block) => block.type === 'audio');
  if (audio === undefined) {
    audio = { type: 'audio' };
    content.push(audio);
  }
  if (delta.id !== undefined) audio.id = delta.id;
  if (delta.data !== undefined) audio.data = (audio.data ?? '') + delta.data;
  if (delta.transcript !== undefined) {
    audio.transcript = (audio.transcript ?? '') + delta.transcript;
  }
  if (delta.expiresAtS !== undefined) audio.expiresAtS = delta.expiresAtS;
}

function lastText({ content }: NormalisedChoice): TextBlock {
  const found = content.findLast((block) => block.type === 'text');
  if (found !== undefined) return found;
  const block: TextBlock = { type: 'text', text: '' };
  content.push(block);
  return block;
}

/** Log probabilities are lists by kind, which are concatenated. */
function addLogprobs(choice: NormalisedChoice, more: Record<string, unknown> | undefined): void {
  if (more === undefined) return;
  const joined = { ...choice.logprobs };
  for (const [kind, list] of Object.entries(more)) {
    const before = joined[kind];
    joined[kind] =
      Array.isArray(before) && Array.isArray(list) ? [...before, ...list] : (list ?? before);
  }
  choice.logprobs = joined;
}
