// Counts the tokens of a request without running a model. Providers that can count are asked;
// otherwise the gateway answers with its estimate. Counting is free.

import { emptyUsage } from '@tollgate/contracts';

import {
  FORMATS,
  TOKEN_COUNTS,
  type DecodeContext,
  type FormatName,
  type JsonObject,
  type TokenCounts,
} from '../formats';
import { estimateInputTokens } from '../formats/estimate';
import { notAnAnswer } from './answer';
import { codecTarget } from './chat';
import type { Answered, Job } from './job';

const JSON_TYPE = 'application/json';
const FREE = { usage: emptyUsage(), free: true } as const;

export function countTokensJob(name: FormatName, body: JsonObject, context: DecodeContext): Job {
  const client = countsOf(name);
  const request = client.decodeRequest(body, context);
  const inputTokensEstimate = estimateInputTokens(request);
  const counted = (tokens: number): Answered => ({
    body: () => JSON.stringify(client.encode(tokens)),
    contentType: JSON_TYPE,
    report: FREE,
  });
  return {
    model: request.model,
    provider: request.provider,
    stream: false,
    growing: false,
    choices: 1,
    maxOutputTokens: 0,
    inputTokensEstimate,
    audioInputTokensEstimate: 0,
    textOutput: true,
    unitsEstimate: {},
    previousResponseId: '',
    ownAnswer: () => counted(inputTokensEstimate),
    adapter: (target) => {
      const upstream = countsOf(target.endpoint.format);
      return {
        encode: () => {
          const { body, dropped } = upstream.encodeRequest(request, codecTarget(target));
          return { body: JSON.stringify(body), contentType: JSON_TYPE, accept: JSON_TYPE, dropped };
        },
        follow: () => undefined,
        countsOnly: false,
        read: (answer) => {
          const tokens = upstream.decode(answer.json());
          if (upstream !== client) return counted(tokens);
          return { body: answer.bytes, contentType: JSON_TYPE, report: FREE };
        },
        refused: (...answer) => FORMATS[target.endpoint.format].decodeError(...answer),
      };
    },
  };
}

function countsOf(name: FormatName): TokenCounts {
  const counts = TOKEN_COUNTS[name];
  if (!counts) throw notAnAnswer(`${name} has no counts`);
  return counts;
}
