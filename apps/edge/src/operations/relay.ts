// Operations without a codec. Request and answer are relayed between a client and a provider with
// the same interface, and only the facts for the bill are read.

import { FORMATS, type UpstreamHeaders } from '../formats';
import { textOf } from '../formats/json';
import { literalOf, renameAnywhere, renameModel } from '../formats/model-name';
import type { AnswerBody } from '../upstream/answer-body';
import { garbled } from '../upstream/failure';
import type { Changes, Inlet } from './inlet';
import type { Answered, Job, Passage, Target } from './job';
import type { NamedItems } from './named-items';

export const ANSWERS_JSON = /^application\/json\b/i;
export const ANSWERS_BYTES = /^application\/octet-stream\b/i;
export const ANSWERS_EVENTS = /^text\/event-stream\b/i;

/** The facts that an operation reads from a request, and how it reads the answer. */
export interface Asked extends NamedItems {
  inputTokensEstimate: number;
  audioInputTokensEstimate?: number;
  inputText?: Job['inputText'];
  /** The answer is audio. */
  speaks?: boolean;
  choices?: number;
  maxOutputTokens?: number;
  outputTokensEstimate?: Job['outputTokensEstimate'];
  repeatedInputTokens?: Job['repeatedInputTokens'];
  unitsEstimate?: Job['unitsEstimate'];
  serviceTiers?: Job['serviceTiers'];
  stream?: boolean;
  previousResponseId?: string;
  conversationId?: string;
  accept?: string;
  /** Fields changed for the upstream, beside the model's name. */
  changes?: (target: Target) => Changes;
  /** The accepted content types of an answer. */
  answers?: readonly RegExp[];
  /** The answer repeats parts of the request, which may have a key `model` of their own. */
  echoes?: boolean;
  /** Upstream headers needed to read the answer. */
  headers?: readonly string[];
  /** Relays an answer of this type as a stream; undefined: it is read whole. */
  follow?: (contentType: string, target: Target) => Passage | undefined;
  read: (answer: AnswerBody, contentType: string, headers: UpstreamHeaders) => Answered['report'];
}

export function relayedJob(inlet: Inlet, asked: Asked): Job {
  const { fields } = inlet;
  const { stream = false, answers = [ANSWERS_JSON], accept = 'application/json' } = asked;
  const typeOf = (headers: UpstreamHeaders): string => {
    const type = String(headers['content-type'] ?? '');
    if (answers.some((known) => known.test(type)) || ANSWERS_EVENTS.test(type)) return type;
    throw garbled(
      `The provider's answer has an unexpected content-type: ${type.slice(0, 64) || 'none'}.`,
    );
  };
  return {
    model: textOf(fields['model']) ?? '',
    provider: textOf(fields['provider']),
    stream,
    growing: false,
    choices: asked.choices ?? 1,
    maxOutputTokens: asked.maxOutputTokens ?? 0,
    ...(asked.outputTokensEstimate === undefined
      ? {}
      : { outputTokensEstimate: asked.outputTokensEstimate }),
    ...(asked.repeatedInputTokens === undefined
      ? {}
      : { repeatedInputTokens: asked.repeatedInputTokens }),
    inputTokensEstimate: asked.inputTokensEstimate,
    audioInputTokensEstimate: asked.audioInputTokensEstimate ?? 0,
    ...(asked.inputText ? { inputText: asked.inputText } : {}),
    textOutput: !asked.speaks,
    unitsEstimate: asked.unitsEstimate ?? {},
    ...(asked.serviceTiers ? { serviceTiers: asked.serviceTiers } : {}),
    previousResponseId: asked.previousResponseId ?? '',
    conversationId: asked.conversationId ?? '',
    ...(asked.itemIds ? { itemIds: asked.itemIds } : {}),
    ...(asked.replayedItemIds ? { replayedItemIds: asked.replayedItemIds } : {}),
    adapter: (target) => ({
      encode: () => ({
        ...inlet.write({ ...own(target), ...asked.changes?.(target) }),
        accept: stream ? 'text/event-stream' : accept,
        dropped: [],
      }),
      follow: (headers) => asked.follow?.(typeOf(headers), target),
      countsOnly: true,
      read: (answer, headers) => {
        const contentType = typeOf(headers);
        const report = asked.read(answer, contentType, headers);
        return {
          body: ANSWERS_JSON.test(contentType) ? renamed(answer, target, asked) : answer.bytes,
          contentType,
          headers: kept(headers, asked.headers ?? []),
          report,
        };
      },
      refused: (...answer) => FORMATS[target.endpoint.format].decodeError(...answer),
    }),
  };
}

/**
 * Replaces the upstream's model name by the client's: wherever the answer names it, or only at the top
 * level of one that repeats the request.
 */
function renamed({ bytes }: AnswerBody, { context: { model } }: Target, { echoes }: Asked): Buffer {
  return echoes
    ? renameModel('openai-chat', bytes, model)
    : renameAnywhere(bytes, literalOf(model));
}

function own({ model }: Target): Changes {
  // The provider pin has been used, and upstreams refuse unknown fields.
  return { model, provider: undefined };
}

function kept(headers: UpstreamHeaders, names: readonly string[]): Record<string, string> {
  const rows = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(rows);
}
