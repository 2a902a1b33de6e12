// POST /v1/responses. Responses are remembered for `previous_response_id` unless `store` is false,
// each for its own key.

import { answerTo } from '../../answer';
import { objectOf, textsOf } from '../../json';
import { json, type Call, type Problem, type Reply } from '../../reply';
import { runsFor, searchesFor, toolUnits, withFound } from '../../searches';
import { usageOf } from '../../usage';
import { conversationOf, sealReasoning } from './checks';
import { itemsFor, type Manner } from './items';
import { readResponses, runsCode, searches } from './request';
import { responseOf, responseStream, statusOf } from './response';

export function responses(call: Call): Reply | Problem {
  const { body, directives } = call;
  const conversation = conversationOf(call);
  if ('status' in conversation) return conversation;
  const ask = readResponses(body, conversation.items);
  const answer = answerTo(ask, directives, call.id);
  const manner = mannerOf(call, ask.said.text);
  const count = withFound(ask.count, manner.searches, directives);
  const items = itemsFor(answer, manner);
  const output = items.map(({ whole }) => whole);
  const status = statusOf(answer, call);
  const id = `resp_${call.id}`;
  return {
    id,
    tokens: answer.outputTokens,
    usage: (generated) =>
      usageOf(count, directives, generated, { reasoning: answer.reasoningTokens }),
    units: toolUnits(manner.searches, manner.runs),
    unary: (usage) => json(responseOf(call, answer, { status, output, usage })),
    done() {
      if (body['store'] === false || status === 'failed') return;
      const all = [...conversation.items, ...output];
      const bytes = Buffer.byteLength(JSON.stringify(all));
      call.memory.responses.set(`${call.apiKey} ${id}`, all, bytes);
    },
    ...(body['stream'] === true ? { stream: responseStream(call, answer, items, status) } : {}),
  };
}

function mannerOf({ apiKey, body, directives, id }: Call, said: string): Manner {
  const include = textsOf(body['include']);
  const summary = objectOf(body['reasoning'])?.['summary'];
  const summarised = typeof summary === 'string' ? 'summary' : 'hidden';
  return {
    id,
    thoughts: directives.vllm ? 'text' : summarised,
    sealed: include.includes('reasoning.encrypted_content') ? sealReasoning(apiKey, id) : undefined,
    search: said,
    searches: searchesFor(searches(body), directives, body['max_tool_calls']),
    runs: runsFor(runsCode(body), directives, body['max_tool_calls']),
    logprobs: include.includes('message.output_text.logprobs'),
  };
}
