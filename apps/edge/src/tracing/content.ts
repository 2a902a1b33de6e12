// Texts of a request in its trace, for organisations that want them: as screening lets them pass, and nothing
// of a request or an answer that a rule blocks.

import type { SpanAttributes } from '@tollgate/kit/tracing';

import type { AuthorisedExchange, Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { leftOut } from '../exchange/trace-content';
import { createAnswerRecorder } from './answer-recorder';
import { GEN_AI } from './conventions';
import { inputMessages, outputMessages } from './messages';
import { createTextBudget } from './text-budget';

/** Begins to keep the answer of a conversation for its trace. Other requests have no texts there. */
export function beginContent(
  { traceContent }: Pick<Gateway, 'traceContent'>,
  { allow, format, job, trace }: AuthorisedExchange,
): void {
  if (!trace || !allow.traceContent || !job.request || trace.content) return;
  const { characters, take } = traceContent;
  const close = take();
  const recorder = close && createAnswerRecorder(format, characters);
  trace.content = { characters, recorder, close: close ?? NOTHING };
}

const NOTHING = (): void => undefined;

/** What the span of a model call has of them. */
export function contentAttributes({ job, screening, trace }: Exchange): SpanAttributes {
  const content = trace?.content;
  const request = job?.request;
  if (!content || !request) return [];
  if (screening?.blocked()) return leftOut('blocked');
  if (!content.recorder) return leftOut('busy');
  const hide = screening?.restores() ? screening.hide : undefined;
  const input = createTextBudget(content.characters, hide);
  const output = createTextBudget(content.characters, hide);
  const { response, cut, leftOut: why } = content.recorder.answer();
  const { choices } = response;
  const prompt = inputMessages(request.messages, input);
  const said = outputMessages(choices, output, cut);
  if (input.masked() || output.masked()) return leftOut('masked');
  return [
    [GEN_AI.inputMessages, prompt],
    [GEN_AI.outputMessages, choices.length > 0 ? said : undefined],
    ['tollgate.content.cut', input.cut() || output.cut() || undefined],
    ...(why ? leftOut(why) : []),
  ];
}
