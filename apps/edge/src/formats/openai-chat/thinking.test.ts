// Signed thinking returns to its signer byte for byte, however a client of this format assembles
// the deltas of a stream.
import fc from 'fast-check';

import { FORMATS, type Format, type JsonObject } from '..';
import { foldStream } from '../fold';
import type { StreamEvent } from '../normalised';
import { context, last, nextChat, VENDORS, type Vendor } from '../test-support/signers';

interface Block {
  type: string;
  thinking?: string;
  signature?: string;
  data?: string;
  index?: number;
}

interface Call {
  index: number;
  id: string;
  function: { name?: string; arguments: string };
}

type Delta = JsonObject & {
  content?: string;
  reasoning_content?: string;
  tool_calls?: Call[];
  thinking_blocks?: Block[];
};
const choice = 0;

/** Assembles the frames of a stream to the message that the client sends next. */
type Assemble = (frames: JsonObject[]) => JsonObject;

function dataIn(text: string): JsonObject[] {
  return text.split('\n\n').flatMap((event) => {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    return data === undefined || data === '[DONE]' ? [] : [JSON.parse(data) as JsonObject];
  });
}

function deltasIn(frames: JsonObject[]): Delta[] {
  return frames.flatMap(({ choices }) => (choices as { delta: Delta }[]).map(({ delta }) => delta));
}

/** The fields that every client assembles in the same way. */
function joined(deltas: Delta[]): JsonObject {
  const calls: JsonObject[] = [];
  const texts: string[] = [];
  for (const { index, id, function: called } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    texts[index] = (texts[index] ?? '') + called.arguments;
    const named = { ...(calls[index]?.['function'] ?? called), arguments: texts[index] };
    calls[index] = { type: 'function', id, ...calls[index], function: named };
  }
  return {
    role: 'assistant',
    content: deltas.map(({ content = '' }) => content).join(''),
    reasoning_content: deltas.map(({ reasoning_content: text = '' }) => text).join(''),
    tool_calls: calls,
  };
}

const blocksIn = (deltas: Delta[]): Block[] =>
  deltas.flatMap(({ thinking_blocks: blocks = [] }) => blocks);

/** Appends blocks in the order of arrival. */
const collecting: Assemble = (frames) => {
  const deltas = deltasIn(frames);
  return { ...joined(deltas), thinking_blocks: blocksIn(deltas) };
};

/** Merges entries of equal index, and fails on an entry without one. */
const byIndex: Assemble = (frames) => {
  const deltas = deltasIn(frames);
  const blocks: Block[] = [];
  for (const block of blocksIn(deltas)) {
    const { index = -1, thinking = '', ...rest } = block;
    expect(index).toBeGreaterThanOrEqual(0);
    const known = blocks[index];
    const said = (known?.thinking ?? '') + thinking;
    blocks[index] = { index, ...known, ...rest, thinking: said };
  }
  return { ...joined(deltas), thinking_blocks: blocks };
};

/**
 * Joins the texts of blocks up to their seal, and sends every field of a block, as gateways' SDKs
 * do.
 */
const untilSealed: Assemble = (frames) => {
  const deltas = deltasIn(frames);
  const blocks: JsonObject[] = [];
  let text = '';
  for (const { type, thinking, signature, data } of blocksIn(deltas)) {
    if (type === 'redacted_thinking') blocks.push({ type, data });
    else {
      text += thinking ?? '';
      if (signature === undefined) continue;
      blocks.push({ type, thinking: text, signature, cache_control: null });
      text = '';
    }
  }
  return { ...joined(deltas), thinking_blocks: blocks };
};

const ASSEMBLIES = { collecting, byIndex, untilSealed };

/** The events of the vendor's own stream of an answer. */
function streamOf(vendor: Vendor, answer: JsonObject): StreamEvent[] {
  const decoder = FORMATS[vendor.format].createStreamDecoder();
  const events = [...decoder.push(Buffer.from(vendor.stream(answer))), ...decoder.finish()];
  expect(events.at(-1)).toEqual({ type: 'end' });
  return events;
}

function frames(client: Format, events: StreamEvent[]): JsonObject[] {
  const encoder = client.createStreamEncoder(context);
  return dataIn(events.map((event) => encoder.encode(event)).join(''));
}

const chatClients = (['openai-chat', 'unified'] as const).flatMap((client) =>
  Object.keys(VENDORS).flatMap((vendor) =>
    Object.keys(ASSEMBLIES).map((assembly) => ({ client, vendor, assembly })),
  ),
);

test.each(chatClients)(
  'a client of $client that is $assembly returns what $vendor signed, byte for byte',
  ({ client, vendor: name, assembly }) => {
    const vendor = VENDORS[name as keyof typeof VENDORS];
    const assemble = ASSEMBLIES[assembly as keyof typeof ASSEMBLIES];
    fc.assert(
      fc.property(vendor.answer, (answer) => {
        const message = assemble(frames(FORMATS[client], streamOf(vendor, answer)));
        const request = FORMATS[client].decodeRequest(nextChat(message), {});
        const { body, dropped } = FORMATS[vendor.format].encodeRequest(request, vendor.target);
        expect(vendor.sealed(body)).toEqual(vendor.sealed(answer));
        expect(dropped).toEqual([]);
      }),
      { numRuns: 50 },
    );
  },
);

test('a client that keeps only the last piece, as the vendor’s own does, has a whole block', () => {
  const events: StreamEvent[] = [
    { type: 'start', id: 'c', model: 'm' },
    { type: 'thinking', choice, text: 'Let me ' },
    { type: 'thinking', choice, text: 'see.' },
    { type: 'thinking', choice, signature: 'EqQB', sealedBy: 'anthropic-messages' },
    { type: 'text', choice, text: 'Yes.' },
  ];
  const message: JsonObject = { role: 'assistant' };
  for (const delta of deltasIn(frames(FORMATS['openai-chat'], events))) {
    Object.assign(message, delta);
  }
  const messages = [{ role: 'user', content: 'Hi' }, message, { role: 'user', content: 'Sure?' }];
  const request = FORMATS['openai-chat'].decodeRequest({ model: 'm', messages }, {});
  const { body } = FORMATS['anthropic-messages'].encodeRequest(request, VENDORS.anthropic.target);
  expect(last(body['messages'], 1)['content']).toEqual([
    { type: 'thinking', thinking: 'Let me see.', signature: 'EqQB' },
    { type: 'text', text: 'Yes.' },
  ]);
});

test('a seal without its text gets the text of reasoning_content', () => {
  const message = {
    role: 'assistant',
    content: 'Yes.',
    reasoning_content: 'Let me see.',
    thinking_blocks: [{ type: 'thinking', signature: 'EqQB' }],
  };
  const request = FORMATS['openai-chat'].decodeRequest({ model: 'm', messages: [message] }, {});
  expect(request.messages[0]?.content[0]).toMatchObject({ text: 'Let me see.', signature: 'EqQB' });
});

test('pieces of a block, as other gateways stream them, become one block', () => {
  const thinking_blocks = [
    { type: 'thinking', thinking: 'Let me ', signature: null },
    { type: 'thinking', thinking: 'see.', signature: null },
    { type: 'thinking', thinking: '', signature: 'EqQB' },
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'thinking', thinking: 'And more.', signature: 'EqQC' },
  ];
  const message = { role: 'assistant', content: 'Yes.', thinking_blocks };
  const request = FORMATS['openai-chat'].decodeRequest({ model: 'm', messages: [message] }, {});
  expect(request.messages[0]?.content).toMatchObject([
    { type: 'thinking', text: 'Let me see.', signature: 'EqQB' },
    { type: 'thinking', redacted: 'EmwK' },
    { type: 'thinking', text: 'And more.', signature: 'EqQC' },
    { type: 'text', text: 'Yes.' },
  ]);
});

test('a block that its server repeats with the seal is not doubled', () => {
  const events: StreamEvent[] = [
    { type: 'start', id: 'c', model: 'm' },
    { type: 'thinking', choice, text: 'Let me ' },
    { type: 'thinking', choice, text: 'see.' },
    { type: 'thinking', choice, signature: 'EqQB', sealedBy: 'anthropic-messages' },
    { type: 'text', choice, text: 'Yes.' },
    { type: 'stop', choice, reason: 'stop', rawReason: 'stop' },
    { type: 'end' },
  ];
  const encoder = FORMATS['openai-chat'].createStreamEncoder(context);
  const bytes = Buffer.from(events.map((event) => encoder.encode(event)).join(''));
  const answer = foldStream(FORMATS['openai-chat'].createStreamDecoder().push(bytes));
  expect(answer.choices[0]?.content[0]).toMatchObject({ text: 'Let me see.', signature: 'EqQB' });
});
