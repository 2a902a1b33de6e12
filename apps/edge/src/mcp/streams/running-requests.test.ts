import { createRunningRequests, type RequestOwner } from './running-requests';

const OWNER: RequestOwner = { principal: Buffer.alloc(32, 1), server: 'files', sessionId: 's-1' };

function setUp() {
  const given: string[] = [];
  const requests = createRunningRequests();
  const add = (name: string, id: string | number, owner = OWNER) =>
    requests.add(owner, id, () => given.push(name));
  return { given, requests, add };
}

test('a request is given up once, by its own id', () => {
  const { given, requests, add } = setUp();
  add('number', 1);
  add('text', '1');
  requests.giveUp(OWNER, '1');
  requests.giveUp(OWNER, '1');
  expect(given).toEqual(['text']);
});

test.each([
  ['another key', { principal: Buffer.alloc(32, 2) }],
  ['another server', { server: 'mail' }],
  ['another session', { sessionId: 's-2' }],
])('%s cannot give it up', (_what, over) => {
  const { given, requests, add } = setUp();
  add('one', 1);
  requests.giveUp({ ...OWNER, ...over }, 1);
  expect(given).toEqual([]);
});

test.each([undefined, null, {}, ['1']])('what is no id gives nothing up: %j', (id) => {
  const { given, requests, add } = setUp();
  add('one', 1);
  requests.giveUp(OWNER, id);
  expect(given).toEqual([]);
});

test('a request that has ended is not given up, and takes away no other', () => {
  const { given, requests, add } = setUp();
  const removeFirst = add('first', 1);
  add('second', 1);
  removeFirst();
  requests.giveUp(OWNER, 1);
  expect(given).toEqual(['second']);
});
