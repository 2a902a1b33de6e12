// The texts of a whole answer, one of each choice, as the client gets them.

import { GatewayError, type Operation } from '@tollgate/contracts';
import type { AnswerText } from '@tollgate/screening';

import type { Exchange } from '../exchange/exchange';
import type { ContentBlock, StopReason } from '../formats';
import { arrayOf, countOf, objectOf, parseJson, textOf } from '../formats/json';
import { createSseEvents } from './stream-events';

/** Their answers are texts that a model wrote for this request. */
export const WHOLE_ANSWERS: ReadonlySet<Operation> = new Set([
  'chat',
  'completions',
  'response_retrieve',
  'responses',
]);

type Answered = Pick<Exchange, 'format' | 'route'>;

/** Undefined: the answer cannot be read. `PENDING`: the model has not answered yet. */
export type AnswerTexts = readonly AnswerText[] | 'PENDING' | undefined;

/** Of a whole answer. */
export function documentTexts({ format, route }: Answered, payload: Buffer | string): AnswerTexts {
  try {
    const document = parseJson(payload.toString());
    if (route.operation === 'completions') return completionTexts([objectOf(document)]);
    const { object, status } = objectOf(document) ?? {};
    const waits = status === 'queued' || status === 'in_progress';
    if (object === 'response' && waits) return 'PENDING';
    return format
      .decodeResponse(document)
      .choices.map(({ content, stopReason }) => textIn(content, stopReason));
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Of a stream that is complete, or was ended by the gateway. */
export function streamTexts({ format, route }: Answered, parts: readonly Buffer[]): AnswerTexts {
  if (route.operation === 'completions') {
    const { push } = createSseEvents();
    return completionTexts(parts.flatMap((part) => push(part)).map(({ json }) => json));
  }
  const decoder = format.createStreamDecoder();
  const texts = new Map<number, MutableText>();
  const of = (choice: number): MutableText => known(texts, choice);
  for (const event of [...parts.flatMap((part) => decoder.push(part)), ...decoder.finish()]) {
    if (event.type === 'text') of(event.choice).text += event.text;
    else if (event.type === 'tool_start') of(event.choice).calls = true;
    else if (event.type === 'refusal') of(event.choice);
    else if (event.type === 'stop') Object.assign(of(event.choice), endOf(event.reason));
  }
  return [...texts.values()].map(finished);
}

interface MutableText {
  text: string;
  calls: boolean;
  /** Undefined: nothing has said how it ended. */
  cut: boolean | undefined;
}

function known(texts: Map<number, MutableText>, choice: number): MutableText {
  const text = texts.get(choice) ?? { text: '', calls: false, cut: undefined };
  texts.set(choice, text);
  return text;
}

function endOf(reason: StopReason): Partial<MutableText> {
  // A paused turn goes on with the next request, as one that calls tools does.
  return { cut: reason === 'length', ...(reason === 'pause' ? { calls: true } : {}) };
}

/** A choice that nothing ended was ended by the gateway. */
function finished({ calls, cut, text }: MutableText): AnswerText {
  return { text, calls, cut: cut ?? true };
}

function textIn(content: readonly ContentBlock[], stopReason: StopReason): AnswerText {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const calls = content.some(({ type }) => type === 'tool_call');
  return { text, calls: calls || stopReason === 'pause', cut: stopReason === 'length' };
}

/** The format of completions has no codec: documents and events have the same choices. */
function completionTexts(documents: readonly (Record<string, unknown> | undefined)[]): AnswerTexts {
  const texts = new Map<number, MutableText>();
  for (const document of documents) {
    for (const [at, choice] of arrayOf(document?.['choices']).map(objectOf).entries()) {
      if (!choice) continue;
      const text = known(texts, countOf(choice['index']) ?? at);
      text.text += textOf(choice['text']) ?? '';
      const reason = textOf(choice['finish_reason']);
      if (reason !== undefined) text.cut = reason === 'length';
    }
  }
  return [...texts.values()].map(finished);
}
