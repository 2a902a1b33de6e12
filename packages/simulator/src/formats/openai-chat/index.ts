// POST /v1/chat/completions, with vLLM's extensions: `continuous_usage_stats` puts the usage so far
// into every chunk, and thinking is in `reasoning_content`.

import { answerTo } from '../../answer';
import { FAMILIES } from '../../family';
import { arrayOf, objectOf } from '../../json';
import { visitAutomaticCache } from '../../prompt-cache';
import {
  COMMENT,
  EVENT_STREAM,
  GARBAGE,
  invalid,
  json,
  type Call,
  type Problem,
  type Reply,
  type Stream,
} from '../../reply';
import { searchesFor, toolUnits, withFound } from '../../searches';
import { billedTiers, openAiTier } from '../../tiers';
import { usageOf } from '../../usage';
import { likeOthers, tellsUsageAmongChoices } from './look-alikes';
import { chatPrompt, readChat } from './request';
import { chatFrames, lastFrame, usageFrame, wholeChat, type UsageField } from './response';
import { chatUsage } from './usage';

export function chat(call: Call): Reply | Problem {
  const { body, directives } = call;
  if (arrayOf(body['messages']).length === 0) {
    return invalid('Messages are required.', 'messages', 'missing');
  }
  const ask = readChat(body);
  const answer = answerTo(ask, directives, call.id);
  const { choices } = ask;
  const named = { id: `chatcmpl-${call.id}`, createdS: call.atS, model: call.model };
  const manner = { choices, logprobs: body['logprobs'] === true };
  const reasoning = answer.reasoningTokens * choices;
  const searches = searchesFor(objectOf(body['web_search_options']) !== undefined, directives);
  const count = withFound(ask.count, searches, directives);
  const visit = visitAutomaticCache(call, () => chatPrompt(body));
  const usage = (generated: number) =>
    usageOf(count, directives, generated, { reasoning, cache: visit?.use });
  // OpenAI does not report the number of searches; compatible servers report it in this field.
  const heading = {
    ...named,
    searches: directives.searches === undefined ? 0 : searches,
    ...(body['service_tier'] ? { service_tier: openAiTier(call) } : {}),
  };
  const wanted = usageWish(call);
  const field: UsageField = (generated) => {
    if (wanted === 'none') return undefined;
    return wanted === 'running' ? chatUsage(usage(generated), heading.searches) : null;
  };
  return {
    id: heading.id,
    units: toolUnits(searches),
    ...billedTiers(openAiTier(call)),
    tokens: answer.outputTokens * choices,
    usage,
    unary: (reported) => json(wholeChat(heading, answer, manner, reported)),
    ...(visit === undefined ? {} : { done: visit.keep }),
    ...(body['stream'] === true
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: likeOthers(
              chatFrames(heading, answer, manner, field),
              directives,
              (generated) => (directives['no-usage'] ? undefined : usage(generated)),
            ),
            ending: (reported) => {
              const alone = wanted !== 'none' && !tellsUsageAmongChoices(directives);
              const frame = alone && reported ? usageFrame(heading, reported) : '';
              return frame + lastFrame(directives);
            },
            ...openAiTroubles(call),
          },
        }
      : {}),
  };
}

/** The faults of an OpenAI stream of plain `data:` frames. */
export function openAiTroubles({
  directives,
  id,
}: Call): Pick<Stream, 'problem' | 'garbage' | 'keepAlive'> {
  return {
    problem: (problem) =>
      `data: ${JSON.stringify(FAMILIES.openai.error(problem, directives, id))}\n\n`,
    garbage: GARBAGE,
    keepAlive: COMMENT,
  };
}

/** Whether a stream reports usage: not at all, at its end, or in every frame. */
export function usageWish({ body, directives }: Call): 'none' | 'end' | 'running' {
  const options = objectOf(body['stream_options']);
  if (options?.['include_usage'] !== true || directives['no-usage']) return 'none';
  return options['continuous_usage_stats'] === true ? 'running' : 'end';
}
