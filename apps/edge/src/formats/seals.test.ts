// A seal returns only to its maker. A vendor that would refuse a seal does not get it, and the
// client gets a report.
import fc from 'fast-check';

import { FORMATS, type FormatName, type JsonObject } from '.';
import type { TargetContext } from './format';
import type { Sealer } from './normalised';
import { readSeal, writeSeal } from './seals';
import { context, last, nextChat, VENDORS } from './test-support/signers';

const SEALERS: readonly Sealer[] = [
  'anthropic-messages',
  'gemini-generate',
  'openai-chat',
  'openai-responses',
];

test('a mark is base64 that survives clients which decode it to bytes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SEALERS),
      fc.constantFrom(...SEALERS),
      fc.constantFrom('signature' as const, 'redacted' as const),
      fc.string({ minLength: 1, unit: 'grapheme' }),
      (sealedBy, home, kind, text) => {
        const written = writeSeal({ [kind]: text, sealedBy }, home) ?? '';
        expect(readSeal(written, home, kind)).toEqual({ [kind]: text, sealedBy });
        expect(writeSeal({ [kind]: text, sealedBy }, home)).toBe(written);
        if (sealedBy === home) expect(written).toBe(text);
        else {
          const bytes = Buffer.from(written, 'base64');
          expect(bytes.toString('base64')).toBe(written);
          expect(readSeal(bytes.toString('base64url'), home, kind)).toEqual({
            [kind]: text,
            sealedBy,
          });
        }
      },
    ),
  );
});

interface Client {
  format: FormatName;
  next: (answer: JsonObject) => JsonObject;
}

const CLIENTS: readonly Client[] = [
  {
    format: 'anthropic-messages',
    next: ({ role, content }) => ({
      model: 'm',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hi' },
        { role, content },
        { role: 'user', content: '?' },
      ],
    }),
  },
  {
    format: 'gemini-generate',
    next: ({ candidates }) => {
      const asked = { role: 'user', parts: [{ text: 'Hi' }] };
      return { model: 'm', contents: [asked, last(candidates, 0)['content'], asked] };
    },
  },
  {
    format: 'openai-chat',
    next: ({ choices }) => nextChat(last(choices, 0)['message'] as JsonObject),
  },
  {
    format: 'openai-responses',
    next: ({ output }) => ({
      model: 'm',
      input: [{ role: 'user', content: 'Hi' }, ...(output as JsonObject[])],
    }),
  },
];

const SEAL = 'c2VhbGVkIGJ5IG9uZQ==';

const SEALED_ANSWERS: Readonly<Record<keyof typeof VENDORS, JsonObject>> = {
  anthropic: {
    id: 'msg_1',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: SEAL },
      { type: 'text', text: 'So.' },
      { type: 'tool_use', id: 'c1', name: 'f', input: {} },
    ],
    stop_reason: 'tool_use',
  },
  gemini: {
    responseId: 'r1',
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'So.' },
            { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: SEAL },
          ],
        },
        finishReason: 'STOP',
      },
    ],
  },
  responses: {
    id: 'resp_1',
    status: 'completed',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm' }],
        encrypted_content: SEAL,
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    ],
  },
};

const targets = [
  ...Object.entries(VENDORS).map(([name, { format, target }]) => ({ name, format, target })),
  {
    name: 'chat',
    format: 'openai-chat' as const,
    target: { providerType: 'PROVIDER_A', model: 'gpt-5.6', strict: true } as const,
  },
  {
    name: 'server',
    format: 'openai-chat' as const,
    target: { providerType: 'PROVIDER_D', model: 'llama', strict: true } as const,
  },
];
/**
 * Chat clients get Anthropic's seals unmarked, as other gateways do it. Compatible chat servers may
 * be such gateways, so they get these seals back unchanged.
 */
const untouched = (by: string, client: Client, target: string) =>
  by === 'anthropic' && client.format === 'openai-chat' && target === 'server';
const crossings = Object.keys(SEALED_ANSWERS).flatMap((by) =>
  CLIENTS.flatMap((client) =>
    targets
      .filter(({ name }) => name !== by && !untouched(by, client, name))
      .map((target) => ({ by, client, target })),
  ),
);

test.each(crossings)(
  'the seal of $by for a client of $client.format does not reach $target.name, and is reported',
  ({ by, client, target: { format, target } }) => {
    const sealer = VENDORS[by as keyof typeof VENDORS].format;
    const answer = SEALED_ANSWERS[by as keyof typeof SEALED_ANSWERS];
    const reply =
      sealer === client.format
        ? answer
        : FORMATS[client.format].encodeResponse(FORMATS[sealer].decodeResponse(answer), context);
    const decode = () => {
      const body = JSON.parse(JSON.stringify(client.next({ role: 'assistant', ...reply })));
      return FORMATS[client.format].decodeRequest(body as JsonObject, { model: 'm' });
    };
    const { body, dropped } = FORMATS[format].encodeRequest(decode(), { ...target, strict: false });
    const sent = JSON.stringify(body);
    expect(sent).toContain('So.');
    expect(sent).not.toContain(SEAL);
    expect(sent).not.toContain('tollgate');
    expect(dropped.join()).toMatch(/thinking|signature|thoughtSignature|input\[\d\]|content\[0\]/i);
    expect(() => FORMATS[format].encodeRequest(decode(), target)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }) as Error,
    );
  },
);

test('a vendor’s own turn is passed on byte for byte', () => {
  for (const { format, target } of Object.values(VENDORS)) {
    const client = CLIENTS.find((known) => known.format === format);
    const name = Object.entries(VENDORS).find(([, vendor]) => vendor.format === format)?.[0];
    const answer = SEALED_ANSWERS[name as keyof typeof SEALED_ANSWERS];
    const body = client?.next({ role: 'assistant', ...answer }) ?? {};
    const request = FORMATS[format].decodeRequest(body, { model: 'm' });
    const encoded = FORMATS[format].encodeRequest(request, { ...target, model: 'm' });
    expect(JSON.stringify(encoded.body).replace('models/m', 'm')).toBe(JSON.stringify(body));
    expect(encoded.dropped).toEqual([]);
  }
});

describe('a turn of another vendor is passed on without its seals, each reported by position', () => {
  const marked = writeSeal({ signature: SEAL, sealedBy: 'openai-responses' }, 'gemini-generate');
  const hidden = writeSeal({ redacted: SEAL, sealedBy: 'anthropic-messages' }, 'gemini-generate');

  function relay(format: FormatName, target: TargetContext, body: JsonObject) {
    const request = FORMATS[format].decodeRequest(body, { model: 'm' });
    return FORMATS[format].encodeRequest(request, { ...target, strict: false });
  }

  test('in contents', () => {
    const parts = [
      { text: 'Hm', thought: true, thoughtSignature: marked },
      { text: '', thought: true, thought_signature: hidden },
      { functionCall: { id: 'c', name: 'f', args: {} } },
    ];
    const asked = { role: 'user', parts: [{ text: 'Hi' }] };
    const body = { contents: [asked, { role: 'model', parts }, asked] };
    const { body: sent, dropped } = relay('gemini-generate', VENDORS.gemini.target, body);
    // The vendor requires a seal on the first call of a turn, and accepts this marker instead.
    const thoughtSignature = 'skip_thought_signature_validator';
    const kept = [
      { text: 'Hm', thought: true },
      { ...parts[2], thoughtSignature },
    ];
    expect(sent).toEqual({ contents: [asked, { role: 'model', parts: kept }, asked] });
    expect(dropped).toEqual([
      'contents[1].parts[0].thoughtSignature',
      'contents[1].parts[1].thought_signature',
    ]);
    const older = { ...VENDORS.gemini.target, model: 'gemini-2.5-pro' };
    expect(JSON.stringify(relay('gemini-generate', older, body).body)).not.toContain('skip');
  });

  test('in messages of blocks', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: marked },
      { type: 'redacted_thinking', data: marked },
      { type: 'thinking', thinking: 'Unsealed', signature: '' },
      { type: 'thinking', thinking: 'Own', signature: SEAL },
    ];
    const body = { model: 'm', max_tokens: 5, messages: [{ role: 'assistant', content }] };
    const { target } = VENDORS.anthropic;
    const vendor = relay('anthropic-messages', target, body);
    expect(vendor.body['messages']).toEqual([{ role: 'assistant', content: [content[3]] }]);
    expect(vendor.dropped).toEqual([0, 1, 2].map((at) => `messages[0].content[${at}]`));
    const server = relay('anthropic-messages', { ...target, providerType: 'CUSTOM' }, body);
    expect(server.body['messages']).toEqual([
      { role: 'assistant', content: [{ ...content[0], signature: '' }, content[2], content[3]] },
    ]);
    expect(server.dropped).toEqual(['messages[0].content[0].signature', 'messages[0].content[1]']);
  });

  test('in messages of the chat format', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm', signature: marked },
      { type: 'thinking', thinking: 'Own', signature: SEAL },
    ];
    const message = { role: 'assistant', content: 'So.', thinking_blocks };
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }, message] };
    const to = (providerType: TargetContext['providerType']) =>
      relay('openai-chat', { providerType, model: 'm', strict: false }, body);
    const blocks = (encoded: { body: JsonObject }) =>
      last(encoded.body['messages'], 1)['thinking_blocks'];
    expect(blocks(to('PROVIDER_D'))).toEqual([thinking_blocks[1]]);
    expect(to('PROVIDER_D').dropped).toEqual(['messages[1].thinking_blocks[0]']);
    expect(blocks(to('PROVIDER_A'))).toBeUndefined();
    expect(to('PROVIDER_A').dropped).toHaveLength(2);
  });
});

describe.each([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
  // A field of bytes in some SDKs, which encode it.
  Buffer.from('skip_thought_signature_validator').toString('base64'),
])('%s stands in for a seal', (thoughtSignature) => {
  const body = {
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'So.', thoughtSignature },
          { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: {} } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
  };
  const encode = ({ format, target }: (typeof targets)[number]) => {
    const request = FORMATS['gemini-generate'].decodeRequest(body, { model: 'm' });
    return FORMATS[format].encodeRequest(request, target);
  };

  test.each(targets.filter(({ name }) => name !== 'gemini'))(
    'for its own vendor only, so $name gets a complete turn without it',
    (target) => {
      const { body: sent, dropped } = encode(target);
      expect(dropped).toEqual([]);
      expect(JSON.stringify(sent)).toContain('So.');
      expect(JSON.stringify(sent)).not.toContain(thoughtSignature);
    },
  );

  test('and reaches its own vendor as it came', () => {
    const gemini = targets.find(({ name }) => name === 'gemini');
    expect(gemini && encode(gemini).body['contents']).toEqual(body.contents);
  });
});

test.each(['openai-chat', 'unified'] as const)(
  'to %s, dropped fields are reported in the client’s spelling, and refused if it is strict',
  (format) => {
    const body = {
      model: 'm',
      input: 'Hi',
      instructions: 'Be brief.',
      reasoning: { effort: 'low', summary: 'auto' },
      safety_identifier: 'u1',
      stream: false,
    };
    const input = [
      { role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] },
      { role: 'user', content: 'Hi' },
    ];
    const request = () => FORMATS['openai-responses'].decodeRequest({ ...body, input }, {});
    const target = { providerType: 'CUSTOM', model: 'm' } as const;
    const { dropped } = FORMATS[format].encodeRequest(request(), { ...target, strict: false });
    expect(dropped).toEqual(expect.arrayContaining(['input[0].input_image', 'reasoning.summary']));
    if (format === 'unified') expect(dropped).toContain('safety_identifier');
    expect(() => FORMATS[format].encodeRequest(request(), { ...target, strict: true })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }) as Error,
    );
  },
);
