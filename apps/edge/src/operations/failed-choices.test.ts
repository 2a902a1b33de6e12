import { FORMATS } from '../formats';
import { createTranslation } from './passage';

const CONTEXT = {
  requestId: 'r',
  provider: 'p',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

/** A stream whose choices end with these reasons, and what a chat client gets of it. */
function translate(reasons: readonly string[]) {
  const candidates = reasons.map((finishReason, index) => ({ index, finishReason }));
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 };
  const chunk = `data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`;
  const translation = createTranslation(
    FORMATS['openai-chat'],
    FORMATS['gemini-generate'],
    CONTEXT,
  );
  const parts = [...translation.push(Buffer.from(chunk)), ...translation.finish()];
  return { text: Buffer.concat(parts).toString(), report: translation.report };
}

test('a stream of which one choice failed is complete', () => {
  const { report, text } = translate(['MALFORMED_FUNCTION_CALL', 'STOP']);
  expect(report).toMatchObject({ terminal: true });
  expect(report.fault).toBeUndefined();
  expect(text.match(/"finish_reason":"stop"/g)).toHaveLength(2);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test.each([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'PUP_LIMITED_DISABLED',
])('a stream that ends with %s is an error, with its usage', (reason) => {
  const { report, text } = translate([reason]);
  expect(report).toMatchObject({
    terminal: false,
    fault: 'UPSTREAM_ERROR',
    error: { code: 'upstream_error', message: expect.stringContaining(reason) as string },
    usage: { input: 9, output: 1 },
  });
  expect(text).not.toMatch(/"finish_reason":"|DONE/);
});

test('a stream that a rule of the provider ended is filtered', () => {
  expect(translate(['ESCALATION']).text).toContain('"finish_reason":"content_filter"');
});
