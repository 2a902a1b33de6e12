// POST /v1/messages and /v1/messages/count_tokens.

import { answerTo } from '../../answer';
import { emptyUsage } from '../../bill';
import { anthropicError, headerOf } from '../../family';
import { objectOf } from '../../json';
import { EVENT_STREAM, invalid, json, type Call, type Problem, type Reply } from '../../reply';
import { runsFor, searchesFor, toolUnits, withFound } from '../../searches';
import { usageOf } from '../../usage';
import { visitCache } from './cache';
import { checkConversation, checkMessages } from './checks';
import { countMessages, documentsOf, readMessages, runsCode, searchTool } from './request';
import {
  blocksFor,
  event,
  messageEnding,
  messageFrames,
  PING,
  wholeMessage,
  type Manner,
} from './response';

function versionProblem(call: Call): Problem | undefined {
  const version = headerOf(call, 'anthropic-version');
  return version === '' ? invalid('header is required', 'anthropic-version') : undefined;
}

export function messages(call: Call): Reply | Problem {
  const { body, directives } = call;
  const problem = versionProblem(call) ?? checkMessages(body);
  if (problem !== undefined) return problem;
  const ask = readMessages(body);
  const answer = answerTo(ask, directives, call.id);
  const cache = visitCache(call);
  const heading = { id: `msg_${call.id}`, model: call.model };
  const manner = mannerOf(call, ask.said.text);
  const { runs, searches } = manner;
  const count = withFound(ask.count, searches, directives);
  const blocks = blocksFor(answer, call.id, manner);
  const usage = (generated: number) =>
    usageOf(count, directives, generated, {
      reasoning: answer.reasoningTokens,
      cache: cache.use,
    });
  return {
    id: heading.id,
    tokens: answer.outputTokens,
    usage,
    units: toolUnits(searches, runs),
    unary: (reported) => json(wholeMessage(heading, answer, blocks, manner, reported)),
    done: cache.keep,
    ...(body['stream'] === true
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: messageFrames(heading, blocks, directives['no-usage'] ? undefined : usage(0)),
            ending: (reported) => messageEnding(answer, manner, reported),
            problem: (trouble) => {
              const { error } = anthropicError(trouble) as { error: object };
              return event('error', { error });
            },
            garbage: 'event: content_block_delta\ndata: {"this is not": the event\n\n',
            keepAlive: PING,
          },
        }
      : {}),
  };
}

function mannerOf({ body, directives }: Call, said: string): Manner {
  const tool = searchTool(body);
  const display = objectOf(body['thinking'])?.['display'];
  const shown = display === 'omitted' ? 'omitted' : 'text';
  return {
    thoughts: directives.redact ? 'redacted' : shown,
    documents: documentsOf(body),
    search: said,
    searches: searchesFor(tool !== undefined, directives, tool?.['max_uses']),
    runs: runsFor(runsCode(body), directives),
  };
}

export function countMessageTokens(call: Call): Reply | Problem {
  const problem = versionProblem(call) ?? checkConversation(call.body);
  if (problem !== undefined) return problem;
  const input_tokens = call.directives.input ?? countMessages(call.body).text;
  return { tokens: 0, usage: emptyUsage, unary: () => json({ input_tokens }) };
}
