// Undoes in an answer what was changed in the request to fit its target: tool names, and the object
// around a structured answer.

import type { ContentBlock, NormalisedResponse, StreamEvent, TextBlock } from './normalised';
import type { SentNames } from './tool-names';
import { createUnwrapper, type Unwrapper } from './wrapped-answer';

export interface AnswerChanges {
  /** The client's tool names, keyed by the names that were sent instead. */
  sentNames?: SentNames;
  /** The answer is wrapped in an object. */
  wrapped?: true;
}

/** Undefined if the answer needs no changes, which is nearly always. */
export function answerChanges(sentNames: SentNames, wrapped: boolean): { changes?: AnswerChanges } {
  if (sentNames.size === 0 && !wrapped) return {};
  return {
    changes: {
      ...(sentNames.size > 0 ? { sentNames } : {}),
      ...(wrapped ? { wrapped } : {}),
    },
  };
}

export interface AnswerRestorer {
  /** Translates one event into the events that the client receives. */
  restore(event: StreamEvent): StreamEvent[];
}

/** Limits the state that one stream can create. */
const MAX_CHOICES = 128;

export function createRestorer({ sentNames, wrapped }: AnswerChanges): AnswerRestorer {
  const unwrappers = new Map<number, Unwrapper>();

  function unwrapperOf(choice: number): Unwrapper | undefined {
    let unwrapper = unwrappers.get(choice);
    if (unwrapper === undefined && unwrappers.size < MAX_CHOICES) {
      unwrapper = createUnwrapper();
      unwrappers.set(choice, unwrapper);
    }
    return unwrapper;
  }

  function restore(event: StreamEvent): StreamEvent[] {
    if (event.type === 'tool_start') {
      const name = sentNames?.get(event.name);
      return [name === undefined ? event : { ...event, name }];
    }
    if (wrapped === undefined) return [event];
    if (event.type === 'text') {
      const unwrapper = unwrapperOf(event.choice);
      if (unwrapper === undefined) return [event];
      const text = unwrapper.push(event.text);
      return text === '' && event.logprobs === undefined ? [] : [{ ...event, text }];
    }
    if (event.type === 'citation') {
      const removed = unwrappers.get(event.choice)?.removed ?? 0;
      return [{ ...event, citation: moved(event.citation, removed) }];
    }
    if (event.type !== 'stop') return [event];
    const text = unwrappers.get(event.choice)?.finish() ?? '';
    return text === '' ? [event] : [{ type: 'text', choice: event.choice, text }, event];
  }

  return { restore };
}

type Cited = NonNullable<TextBlock['citations']>[number];

function moved(citation: Cited, by: number): Cited {
  const { startIndex, endIndex } = citation;
  return {
    ...citation,
    ...(startIndex === undefined ? {} : { startIndex: Math.max(0, startIndex - by) }),
    ...(endIndex === undefined ? {} : { endIndex: Math.max(0, endIndex - by) }),
  };
}

/** The same for a unary answer. */
export function restoreResponse(
  response: NormalisedResponse,
  { sentNames, wrapped }: AnswerChanges,
): NormalisedResponse {
  const choices = response.choices.map((choice) => {
    const named = choice.content.map((block) => renamed(block, sentNames));
    return { ...choice, content: wrapped ? unwrapped(named) : named };
  });
  return { ...response, choices };
}

function renamed(block: ContentBlock, sentNames: SentNames | undefined): ContentBlock {
  if (block.type !== 'tool_call') return block;
  const name = sentNames?.get(block.name);
  return name === undefined ? block : { ...block, name };
}

function unwrapped(content: readonly ContentBlock[]): ContentBlock[] {
  const unwrapper = createUnwrapper();
  const last = content.findLastIndex(({ type }) => type === 'text');
  return content.flatMap((block, at): ContentBlock[] => {
    if (block.type !== 'text') return [block];
    const text = unwrapper.push(block.text) + (at === last ? unwrapper.finish() : '');
    const citations = block.citations?.map((citation) => moved(citation, unwrapper.removed));
    return text === '' ? [] : [{ ...block, text, ...(citations ? { citations } : {}) }];
  });
}
