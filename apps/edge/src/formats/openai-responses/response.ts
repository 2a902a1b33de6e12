// A unary response, decoded and encoded. The format has one choice.

import { gatewayError } from '@tollgate/contracts';

import type { ReplyContext, ReportedCounts } from '../format';
import { arrayOf, countOf, isObject, present, textOf } from '../json';
import type { JsonObject, NormalisedResponse } from '../normalised';
import { invalidAnswer } from '../upstream-error';
import { createEnvelope } from './envelope';
import { encodeFailure, failureOf } from './failure';
import { createItemIds, decodeOutput, encodeOutput } from './output';
import { decodeStop, encodeStop } from './status';
import { usageOf } from './usage';

const UNFINISHED: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

export function decodeResponse(body: unknown): NormalisedResponse {
  if (!isObject(body)) throw invalidAnswer('the body is not a JSON object');
  const failure = failureOf(body);
  if (failure !== undefined) throw failure;
  const { output } = body;
  if (!Array.isArray(output)) throw invalidAnswer('it holds no output');
  if (UNFINISHED.has(body['status'])) throw invalidAnswer('it is not finished');
  const { content, logprobs } = decodeOutput(output);
  const callsTools = content.some((block) => block.type === 'tool_call');
  const { reason, rawReason } = decodeStop(body, callsTools);
  return {
    id: textOf(body['id']) ?? '',
    model: textOf(body['model']) ?? '',
    choices: [
      {
        index: 0,
        content,
        stopReason: reason,
        rawStopReason: rawReason,
        ...present({ logprobs }),
      },
    ],
    ...present({
      // Some servers send fractions of seconds.
      createdAtS: countOf(Math.floor(Number(body['created_at'] ?? Number.NaN))),
    }),
    ...decodeReported(body),
    raw: body,
  };
}

export function decodeReported(body: JsonObject): ReportedCounts {
  return present({ usage: usageOf(body), serviceTier: textOf(body['service_tier']) });
}

export function encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject {
  const [choice] = response.choices;
  const content = choice?.content ?? [];
  const refuses = content.some((block) => block.type === 'refusal');
  const stop = encodeStop(choice?.stopReason ?? 'other', refuses);
  const ids = createItemIds(context.requestId);
  const itemStatus = stop.status === 'completed' ? 'completed' : 'incomplete';
  const logprobs = arrayOf(choice?.logprobs?.['content']);
  return createEnvelope(
    response,
    context,
  )({
    ...stop,
    output: encodeOutput(content, ids, itemStatus, {
      logprobs,
      showsSources: context.request?.webSearch?.sources !== undefined,
    }),
    ...(stop.status === 'failed' ? { error: encodeFailure(gatewayError('upstream_error')) } : {}),
    tokens: response.usage?.tokens ?? context.estimatedUsage,
  });
}
