import { FORMATS, type ReplyContext } from '../formats';
import { createTranslation } from '../operations/passage';
import { withRemark } from './endings';

describe('a comment before the last event', () => {
  const remark = Buffer.from(': r\n\n');
  const put = (...parts: string[]): string =>
    withRemark(
      parts.map((part) => Buffer.from(part)),
      remark,
    )
      .map(String)
      .join('');

  test.each([
    [['data: a\n\ndata: [DONE]\n\n'], 'data: a\n\n: r\n\ndata: [DONE]\n\n'],
    [['data: a\n\n', 'data: [DONE]\n\n'], 'data: a\n\n: r\n\ndata: [DONE]\n\n'],
    [['data: a\r\n\r\ndata: [DONE]\r\n\r\n'], 'data: a\r\n\r\n: r\n\ndata: [DONE]\r\n\r\n'],
    [['data: a\n\nevent: x\ndata: b\n\n'], 'data: a\n\n: r\n\nevent: x\ndata: b\n\n'],
  ])('%j', (parts, expected) => {
    expect(put(...parts)).toBe(expected);
  });

  test('without a comment, or without an event, nothing changes', () => {
    expect(withRemark([], remark)).toEqual([]);
    const parts = [Buffer.from('data: a\n\n')];
    expect(withRemark(parts, Buffer.alloc(0))).toBe(parts);
  });
});

describe('a translated stream', () => {
  const context: ReplyContext = {
    requestId: 'r1',
    provider: 'provider_a',
    model: 'm',
    createdAtS: 1,
    includeUsage: false,
  };
  const event = (choices: object[], rest = {}): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'm', created: 1, choices, ...rest })}\n\n`;
  const text = (content: string): string =>
    event([{ index: 0, delta: { content }, finish_reason: null }]);
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

  test('has the same report as a relayed one, and sends its terminal event separately', () => {
    const codec = FORMATS['openai-chat'];
    const passage = createTranslation(codec, codec, context);
    const parts = [
      ...passage.push(Buffer.from(text('Hel') + text('lo'))),
      ...passage.push(Buffer.from(event([{ index: 0, delta: {}, finish_reason: 'stop' }]))),
      ...passage.push(Buffer.from(`${event([], { usage })}data: [DONE]\n\n`)),
    ].map(String);
    expect(parts.join('')).toContain('"content":"lo"');
    expect(parts.at(-1)).toBe('data: [DONE]\n\n');
    expect(passage.report).toMatchObject({
      usage: { input: 3, output: 2 },
      rawStopReason: 'stop',
      outputSeen: true,
      terminal: true,
    });
  });

  test('knows the running counts of the upstream at any time', () => {
    const codec = FORMATS['openai-chat'];
    const passage = createTranslation(FORMATS['anthropic-messages'], codec, context);
    const delta = { index: 0, delta: { content: 'Hel' }, finish_reason: null };
    passage.push(Buffer.from(event([delta], { usage })));
    expect(passage.report).toMatchObject({ usage: { input: 3, output: 2 }, terminal: false });
  });

  test('that is interrupted leaves the error to the relay', () => {
    const codec = FORMATS['openai-chat'];
    const passage = createTranslation(codec, codec, context);
    passage.push(Buffer.from(text('Hel')));
    expect(passage.finish()).toEqual([]);
    expect(passage.report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
    expect(passage.report.error?.code).toBe('upstream_error');
  });
});
