import { answerIn, mcpQuestion } from './mcp-playground';

test('an answer of the console’s server is taken as it is', () => {
  const answer = {
    kind: 'call',
    content: [{ type: 'text', text: 'x' }],
    isError: false,
    requestId: 'r',
    costUsd: null,
    durationMs: 1,
  };
  expect(answerIn(200, JSON.stringify(answer))).toEqual(answer);
});

test('a refusal in the catalog’s format keeps its code, message and status', () => {
  const body = { error: { code: 'forbidden', message: 'No.', details: [] } };
  expect(answerIn(403, JSON.stringify(body))).toEqual({
    kind: 'failure',
    code: 'forbidden',
    message: 'No.',
    rpcCode: null,
    status: 403,
    requestId: null,
  });
});

test.each(['<html>', '{"kind":"later"}', ''])('%j is an answer that nobody understands', (text) => {
  expect(answerIn(502, text)).toMatchObject({
    kind: 'failure',
    code: 'unexpected_answer',
    status: 502,
  });
});

test.each(['tickets', 'a', 'a-b-1'])('%s names a server', (server) => {
  expect(mcpQuestion.safeParse({ action: 'tools', server }).success).toBe(true);
});

test.each(['', '-a', 'a-', 'a/b', '..', 'a?b', 'A', 'x'.repeat(64)])(
  '%j names no server, so that no other path is called',
  (server) => {
    expect(mcpQuestion.safeParse({ action: 'tools', server }).success).toBe(false);
  },
);
