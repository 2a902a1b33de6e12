import type { CatalogAnswer, CatalogRequest } from './catalog';
import { SILENT } from './catalog-state';
import { whileItAnswers } from './while-it-answers';

const ANSWER: CatalogAnswer = {
  status: 200,
  headers: new Map(),
  setCookies: [],
  body: Buffer.of(),
};
const read: CatalogRequest = { method: 'GET', path: '/api/teams', headers: {} };

/** A catalog whose answers the test gives, and whose state it sets. */
function catalog(problems: readonly (string | null)[]) {
  const asked = [...problems];
  let answer: (given: CatalogAnswer) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const send = whileItAnswers(
    () =>
      new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
      }),
    { ask: () => Promise.resolve({ problem: asked.shift() ?? null }), isSilent: () => false },
    () => new Promise((resolve) => setImmediate(resolve)),
  );
  return { asked, send, answer: () => answer(ANSWER), fail: () => fail(new Error('refused')) };
}

test('a read that is slow goes on while the catalog is well', async () => {
  const { asked, answer, send } = catalog([null, null, null]);
  const sent = send(read);
  while (asked.length > 0) await new Promise((resolve) => setImmediate(resolve));
  answer();
  expect(await sent).toBe(ANSWER);
});

test('a read ends once the catalog is known not to answer, whatever comes later', async () => {
  const { answer, send } = catalog([null, 'The catalog does not answer.']);
  await expect(send(read)).rejects.toThrow('The catalog does not answer.');
  answer();
});

test('a failure is told as it is', async () => {
  const { fail, send } = catalog(['away']);
  const sent = send(read);
  fail();
  await expect(sent).rejects.toThrow('refused');
});

test('a change is never given up: it may be under way', async () => {
  const { asked, answer, send } = catalog(['away']);
  const sent = send({ ...read, method: 'POST' });
  answer();
  expect(await sent).toBe(ANSWER);
  expect(asked).toHaveLength(1);
});

test('while the catalog is silent, reads end at once and changes are tried', async () => {
  const sent: string[] = [];
  const send = whileItAnswers(
    ({ method }) => {
      sent.push(method);
      return Promise.resolve(ANSWER);
    },
    { ask: () => Promise.resolve({ problem: SILENT }), isSilent: () => true },
  );
  await expect(send(read)).rejects.toThrow(SILENT);
  expect(await send({ ...read, method: 'POST' })).toBe(ANSWER);
  expect(sent).toEqual(['POST']);
});
