// Operations without a codec: the client's bytes go to a provider that speaks the same interface, the
// provider's come back, and only what the bill needs is read.

import type { UpstreamHeaders } from '../formats';
import { FORMATS } from '../formats';
import { textOf } from '../formats/json';
import { literalOf, renameAnywhere } from '../formats/model-name';
import type { AnswerBody } from '../upstream/answer-body';
import { garbled } from '../upstream/failure';
import type { Changes, Inlet } from './inlet';
import type { Answered, Job, Passage, Target } from './job';

export const ANSWERS_JSON = /^application\/json\b/i;
export const ANSWERS_BYTES = /^application\/octet-stream\b/i;
export const ANSWERS_EVENTS = /^text\/event-stream\b/i;

/** What one operation has read of a request, and how it reads the answer. */
export type Asked = {
  inputTokensEstimate: number;
  audioInputTokensEstimate?: number;
  inputText?: Job['inputText'];
  /** Sound comes back. */
  speaks?: boolean;
  choices?: number;
  maxOutputTokens?: number;
  repeatedInputTokens?: Job['repeatedInputTokens'];
  unitsEstimate?: Job['unitsEstimate'];
  stream?: boolean;
  previousResponseId?: string;
  conversationId?: string;
  accept?: string;
  /** What the request says to the upstream beside the model's name. */
  changes?: (target: Target) => Changes;
  /** The content types that an answer may have. */
  answers?: readonly RegExp[];
  /** Headers that the answer cannot be read without. */
  headers?: readonly string[];
  /** How an answer of this type is passed on while it comes; undefined: it is read whole. */
  follow?: (contentType: string, target: Target) => Passage | undefined;
  read: (answer: AnswerBody, contentType: string, headers: UpstreamHeaders) => Answered['report'];
};

export function relayedJob(inlet: Inlet, asked: Asked): Job {
  const { fields } = inlet;
  const { stream = false, answers = [ANSWERS_JSON], accept = 'application/json' } = asked;
  const typeOf = (headers: UpstreamHeaders): string => {
    const type = String(headers['content-type'] ?? '');
    if (answers.some((known) => known.test(type)) || ANSWERS_EVENTS.test(type)) return type;
    throw garbled(`The provider's answer has the type ${type.slice(0, 64) || 'of nothing'}.`);
  };
  return {
    model: textOf(fields['model']) ?? '',
    provider: textOf(fields['provider']),
    stream,
    growing: false,
    choices: asked.choices ?? 1,
    maxOutputTokens: asked.maxOutputTokens ?? 0,
    ...(asked.repeatedInputTokens === undefined
      ? {}
      : { repeatedInputTokens: asked.repeatedInputTokens }),
    inputTokensEstimate: asked.inputTokensEstimate,
    audioInputTokensEstimate: asked.audioInputTokensEstimate ?? 0,
    ...(asked.inputText ? { inputText: asked.inputText } : {}),
    textOutput: !asked.speaks,
    unitsEstimate: asked.unitsEstimate ?? {},
    previousResponseId: asked.previousResponseId ?? '',
    conversationId: asked.conversationId ?? '',
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
          body: renamed(answer, contentType, target),
          contentType,
          headers: kept(headers, asked.headers ?? []),
          report,
        };
      },
      refused: (...answer) => FORMATS[target.endpoint.format].decodeError(...answer),
    }),
  };
}

/** Answers of numbers, pictures and texts: nothing but the answer itself says what made it. */
function renamed({ bytes }: AnswerBody, contentType: string, { context }: Target): Buffer {
  return ANSWERS_JSON.test(contentType) ? renameAnywhere(bytes, literalOf(context.model)) : bytes;
}

function own({ model }: Target): Changes {
  // The pin has done its work; upstreams refuse what they do not know.
  return { model, provider: undefined };
}

function kept(headers: UpstreamHeaders, names: readonly string[]): Record<string, string> {
  const rows = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(rows);
}
