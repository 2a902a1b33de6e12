// POST /v1/messages and /v1/messages/count_tokens.

import { answerTo } from '../../answer';
import { emptyUsage, type BilledUsage } from '../../bill';
import { anthropicError, headerOf } from '../../family';
import { objectOf } from '../../json';
import { EVENT_STREAM, invalid, json, type Call, type Problem, type Reply } from '../../reply';
import { runsFor, searchesFor, toolUnits, withFound } from '../../searches';
import { billedTiers, messageTiers } from '../../tiers';
import { countTokens } from '../../tokens';
import { usageOf } from '../../usage';
import { visitCache } from './cache';
import { checkConversation, checkMessages } from './checks';
import {
  compactionOf,
  countMessages,
  documentsOf,
  readMessages,
  runsCode,
  searchTool,
} from './request';
import {
  blocksFor,
  event,
  messageEnding,
  messageFrames,
  PING,
  SUMMARY,
  wholeMessage,
  type Manner,
} from './response';
import { plus } from './usage';

function versionProblem(call: Call): Problem | undefined {
  const version = headerOf(call, 'anthropic-version');
  return version === '' ? invalid('header is required', 'anthropic-version') : undefined;
}

export function messages(call: Call): Reply | Problem {
  const { body, directives } = call;
  const problem = versionProblem(call) ?? checkMessages(body);
  if (problem !== undefined) return problem;
  const ask = readMessages(body);
  const compaction = compactionOf(body, directives.input ?? ask.count.text);
  const full = answerTo(ask, directives, call.id);
  const answer = compaction === 'alone' ? { ...full, ...NO_ANSWER } : full;
  const cache = visitCache(call);
  const tiers = messageTiers(call);
  const heading = { id: `msg_${call.id}`, model: call.model, tiers };
  const input = usageOf(ask.count, directives, 0);
  const summary = { ...input, output: countTokens(SUMMARY) };
  const manner = mannerOf(call, ask.said.text, compaction && summary);
  const { runs, searches } = manner;
  const count = withFound(ask.count, searches, directives);
  const blocks = blocksFor(answer, call.id, manner);
  const own = (generated: number) =>
    compaction === 'alone'
      ? emptyUsage()
      : usageOf(count, directives, generated, {
          reasoning: answer.reasoningTokens,
          cache: cache.use,
        });
  const told = (billed: BilledUsage | undefined) => billed && plus(billed, manner.compaction, -1);
  return {
    id: heading.id,
    tokens: answer.outputTokens,
    usage: (generated) => plus(own(generated), manner.compaction),
    units: toolUnits(searches, runs),
    ...billedTiers(tiers.speed, tiers.inference_geo),
    unary: (reported) => json(wholeMessage(heading, answer, blocks, manner, told(reported))),
    done: cache.keep,
    ...(body['stream'] === true
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: messageFrames(heading, blocks, directives['no-usage'] ? undefined : own(0)),
            ending: (reported) => messageEnding(answer, manner, told(reported)),
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

/** A request for a summary gets nothing else. */
const NO_ANSWER = {
  pieces: [],
  calls: [],
  reasoningTokens: 0,
  outputTokens: 0,
  finishWord: 'compaction',
};

function mannerOf(
  { body, directives }: Call,
  said: string,
  compaction: BilledUsage | undefined,
): Manner {
  const tool = searchTool(body);
  const display = objectOf(body['thinking'])?.['display'];
  const shown = display === 'omitted' ? 'omitted' : 'text';
  return {
    thoughts: directives.redact ? 'redacted' : shown,
    documents: documentsOf(body),
    search: said,
    searches: searchesFor(tool !== undefined, directives, tool?.['max_uses']),
    runs: runsFor(runsCode(body), directives),
    compaction,
  };
}

export function countMessageTokens(call: Call): Reply | Problem {
  const problem = versionProblem(call) ?? checkConversation(call.body);
  if (problem !== undefined) return problem;
  const input_tokens = call.directives.input ?? countMessages(call.body).text;
  return { tokens: 0, usage: emptyUsage, unary: () => json({ input_tokens }) };
}
