// One conversation from a client of each format to every upstream. The upstream's body is the same
// for every client format: the golden files hold the chat client's body, and the differences of the
// others. Unary and streamed answers have the same content.

import { join } from 'node:path';
import { emptyUsage, tokensIn, tokensOut } from '@tollgate/contracts';
import { golden, goldenJson, staleGoldenFiles } from '@tollgate/kit/golden';

import {
  foldStream,
  FORMATS,
  type FormatName,
  type NormalisedResponse,
  type ReplyContext,
} from '..';
import { createTranslation } from '../../operations/passage';
import { ANSWERS, SAID } from './test-support/answer';
import { CONVERSATION } from './test-support/conversation';
import { differences, TARGETS, type TargetName } from './test-support/matrix';

const clients = Object.keys(CONVERSATION) as FormatName[];
const targets = Object.keys(TARGETS) as TargetName[];

function sent(client: FormatName, target: TargetName) {
  const { body, model } = CONVERSATION[client] ?? { body: {} };
  const asked = { ...(model ? { model } : {}), stream: true };
  const { format, context } = TARGETS[target];
  return FORMATS[format].encodeRequest(FORMATS[client].decodeRequest(body, asked), context);
}

const GOLDEN = join(__dirname, 'golden');
const fileOf = (client: FormatName, target: TargetName) => `${client}.to-${target}.json`;

describe.each(targets)('to %s', (target) => {
  test('from a client of the chat format', () => {
    const said = goldenJson(sent('openai-chat', target));
    expect(said).toBe(golden(join(GOLDEN, fileOf('openai-chat', target)), said));
  });

  test.each(clients.filter((name) => name !== 'openai-chat'))('from a client of %s', (client) => {
    const { body, dropped } = sent(client, target);
    const differs = differences(sent('openai-chat', target).body, body);
    const said = goldenJson({ differs, dropped });
    expect(said).toBe(golden(join(GOLDEN, fileOf(client, target)), said));
  });
});

test('every golden file belongs to a client and a target', () => {
  const wanted = clients.flatMap((client) => targets.map((target) => fileOf(client, target)));
  expect(staleGoldenFiles(GOLDEN, wanted)).toEqual([]);
});

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};

/** The content of an answer, whatever its format. */
function saidIn({ choices, usage }: NormalisedResponse) {
  const [choice] = choices;
  const content = choice?.content ?? [];
  const texts = (type: 'text' | 'thinking') =>
    content.map((block) => (block.type === type ? block.text : '')).join('');
  const tokens = usage?.tokens ?? emptyUsage();
  return {
    thought: texts('thinking'),
    text: texts('text'),
    calls: content.flatMap((block) => {
      if (block.type !== 'tool_call') return [];
      return [{ id: block.id, name: block.name, input: JSON.parse(block.arguments) as unknown }];
    }),
    stopReason: choice?.stopReason,
    tokens: { in: tokensIn(tokens), out: tokensOut(tokens), reasoning: tokens.reasoning },
  };
}

describe.each(Object.entries(ANSWERS))('from %s', (_, { format: name, answer }) => {
  const upstream = FORMATS[name];

  test.each(Object.values(FORMATS))('to a client of $name, unary', (client) => {
    const response = upstream.decodeResponse(answer.whole);
    const written = client.encodeResponse(response, context);
    expect(saidIn(client.decodeResponse(written))).toEqual(saidBy(client.name, response));
  });

  test.each(Object.values(FORMATS))('to a client of $name, streamed', (client) => {
    const translation = createTranslation(client, upstream, context);
    const bytes = [...translation.push(Buffer.from(answer.stream)), ...translation.finish()];
    const decoder = client.createStreamDecoder();
    const events = [...bytes.flatMap((piece) => decoder.push(piece)), ...decoder.finish()];
    expect(saidIn(foldStream(events))).toEqual(SAID);
  });
});

/** The gateway's own format has the provider's totals, and not their parts. */
function saidBy(client: FormatName, { usage }: NormalisedResponse) {
  if (client !== 'unified') return SAID;
  return { ...SAID, tokens: { in: usage?.inputTokens, out: usage?.outputTokens, reasoning: 0 } };
}
