// POST …/models/{model}:generateContent, :streamGenerateContent (`?alt=sse`, else a JSON array) and
// :countTokens.

import { answerTo } from '../../answer';
import { emptyUsage } from '../../bill';
import { objectOf } from '../../json';
import { visitAutomaticCache } from '../../prompt-cache';
import { json, type Call, type Problem, type Reply } from '../../reply';
import { searchesFor, toolUnits, withFound } from '../../searches';
import { billedTiers, geminiTier } from '../../tiers';
import { usageOf } from '../../usage';
import { checkGenerate } from './checks';
import {
  configOf,
  countGenerate,
  field,
  generatePrompt,
  objectIn,
  readGenerate,
  searches,
} from './request';
import {
  blockedOf,
  byModality,
  chunkOf,
  closingOf,
  lastContentOf,
  mergedParts,
  partsFor,
  type Manner,
} from './response';
import { blockedStream, generateStream } from './stream';

export function generateContent(call: Call): Reply | Problem {
  return generate(call, false);
}

export function streamGenerateContent(call: Call): Reply | Problem {
  return generate(call, true);
}

function generate(call: Call, streamed: boolean): Reply | Problem {
  const { body, directives } = call;
  const signed = !directives.unsigned;
  const problem = checkGenerate(body, signed);
  if (problem !== undefined) return problem;
  const ask = readGenerate(body);
  const answer = answerTo(ask, directives, call.id);
  const heading = { id: `gen-${call.id}`, model: call.model, tier: geminiTier(call) };
  const { choices } = ask;
  const config = configOf(body);
  const manner: Manner = {
    choices,
    thoughts: field(objectIn(config, 'thinkingConfig'), 'includeThoughts') === true,
    signed,
    logprobs: field(config, 'responseLogprobs') === true,
    search: ask.said.text,
    searches: searchesFor(searches(body), directives),
  };
  const parts = partsFor(answer, call.id, manner);
  const count = withFound(ask.count, manner.searches, directives);
  const reasoning = answer.reasoningTokens * choices;
  const visit = visitAutomaticCache(call, () => generatePrompt(body));
  const usage = (generated: number) =>
    usageOf(count, directives, generated, { reasoning, cache: visit?.use });
  const events = call.query.get('alt') === 'sse';
  const common = {
    id: heading.id,
    usage,
    units: toolUnits(manner.searches * choices),
    ...billedTiers(heading.tier),
    ...(visit === undefined ? {} : { done: visit.keep }),
  };
  if (directives.block) {
    const blocked = blockedOf(heading, directives['no-usage'] ? undefined : usage(0));
    const stream = streamed ? { stream: blockedStream(blocked, events) } : {};
    return { ...common, tokens: 0, unary: () => json(blocked), ...stream };
  }
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0) * choices;
  const running = (generated: number) => (directives['no-usage'] ? undefined : usage(generated));
  return {
    ...common,
    tokens,
    unary: (reported) => {
      const candidates = Array.from({ length: choices }, (_, index) => ({
        ...lastContentOf(answer, mergedParts(parts)),
        ...closingOf(answer, manner),
        index,
      }));
      return json(chunkOf(heading, candidates, reported));
    },
    ...(streamed
      ? {
          stream: generateStream(heading, answer, parts, manner, { events, usage: running }),
        }
      : {}),
  };
}

export function countGenerateTokens(call: Call): Reply | Problem {
  const asked = objectOf(call.body['generateContentRequest']) ?? call.body;
  const problem = checkGenerate(asked, false);
  if (problem !== undefined) return problem;
  const { text, audio, image = 0 } = countGenerate(asked);
  const totalTokens = text + audio + image;
  const body = { totalTokens, promptTokensDetails: byModality(totalTokens, audio, image) };
  return { tokens: 0, usage: emptyUsage, unary: () => json(body) };
}
