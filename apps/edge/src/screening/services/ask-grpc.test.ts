import { createGrpcAsk } from './ask-grpc';

const CHECK = { requestId: 'r', rule: { policy: 'p', id: 'rule', version: 1 }, texts: [] };

test('a check that could not resolve the name does not spoil the next one', async () => {
  let allowed = false;
  let asked = 0;
  const { ask } = createGrpcAsk({
    ca: '',
    headers: {},
    mayConnect: () => {
      asked += 1;
      return allowed;
    },
    url: new URL('http://localhost:1'),
  });
  await expect(ask(CHECK, 300)).rejects.toThrow('no address that may be connected to');
  const before = asked;
  allowed = true;
  await expect(ask(CHECK, 300)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
  expect(asked).toBeGreaterThan(before);
});
