// Arguments and result of a tool in the trace of its call, for organisations that want texts there: as they are
// sent on, after screening.

import { leftOut, type CallContent, type ContentLeftOut } from '../exchange/trace-content';
import { isObject, parseJson } from '../formats/json';
import { createEventSplitter, MAX_EVENT_BYTES, readRawEvent } from '../formats/sse';
import { GEN_AI } from '../tracing/conventions';
import { createTextBudget } from '../tracing/text-budget';
import type { ConnectedExchange } from './exchange';
import type { McpGateway } from './gateway';
import type { RequestId } from './message/read-message';

/** Larger messages are not written or parsed for a trace. */
const MOST_BYTES = 256 * 1024;

/** Undefined: the call has no texts in its trace. */
export function openCallContent(
  { traceContent }: Pick<McpGateway, 'traceContent'>,
  exchange: ConnectedExchange,
): CallContent | undefined {
  const { allow, message, requestBytes, rpcId, trace } = exchange;
  if (!trace || !allow?.traceContent || message?.kind !== 'request') return undefined;
  if (message.method !== 'tools/call' || rpcId === undefined) return undefined;
  const close = traceContent.take();
  if (!close) return leftOutContent('busy');
  const given = message.params['arguments'];
  // The message is released while its answer comes.
  const args =
    requestBytes <= MOST_BYTES && given !== undefined ? JSON.stringify(given) : undefined;
  let kept: Buffer[] = [];
  let bytes = 0;

  return {
    keep: (parts) => {
      if (bytes > MOST_BYTES) return;
      for (const part of parts) bytes += part.length;
      if (bytes > MOST_BYTES) kept = [];
      else kept.push(...parts);
    },
    close,
    attributes: () => {
      const { ending, screening } = exchange;
      if (screening?.blocked()) return leftOut('blocked');
      const hide = screening?.restores() ? screening.hide : undefined;
      const [asked, answered] = [
        createTextBudget(traceContent.characters, hide),
        createTextBudget(traceContent.characters, hide),
      ];
      const result = resultIn(Buffer.concat(kept), ending.stream, rpcId);
      const prompt = args === undefined ? undefined : asked.take(args);
      const said = result === undefined ? undefined : answered.take(JSON.stringify(result));
      if (asked.masked() || answered.masked()) return leftOut('masked');
      const tooLong = requestBytes > MOST_BYTES || bytes > MOST_BYTES;
      return [
        [GEN_AI.toolArguments, prompt],
        [GEN_AI.toolResult, said],
        ['tollgate.content.cut', asked.cut() || answered.cut() || tooLong || undefined],
      ];
    },
  };
}

function leftOutContent(why: ContentLeftOut): CallContent {
  return { keep: () => undefined, close: () => undefined, attributes: () => leftOut(why) };
}

/** The result of the request with this id; undefined: there is none that can be read. */
function resultIn(body: Buffer, stream: boolean, id: RequestId): unknown {
  if (!stream) return resultOf(body.toString(), id);
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  let result: unknown;
  splitter.push(body, (raw) => {
    result = resultOf(readRawEvent(raw).data ?? '', id);
    return result === undefined;
  });
  return result;
}

function resultOf(text: string, id: RequestId): unknown {
  try {
    const message = parseJson(text);
    return isObject(message) && message['id'] === id ? message['result'] : undefined;
  } catch {
    // Not JSON, so it is not the response.
    return undefined;
  }
}
