import type { BillLine } from '../gateway/books';
import type { Answer } from './load';
import { judge, type BookedRequest, type Judgement } from './referee';

// The referee detects each kind of breach, on books made by hand.

const COST = 105_000n;

const answer = (requestId: string, over: Partial<Answer> = {}): Answer => ({
  status: 200,
  requestId,
  complete: true,
  givenUp: false,
  ms: 1,
  ...over,
});

const booked = (id: string, over: Partial<BookedRequest> = {}): BookedRequest => ({
  id,
  responseId: `answer-of-${id}`,
  mode: 'SETTLED',
  exact: true,
  corrected: false,
  nanoUsd: COST,
  shortfallNanoUsd: 0n,
  ...over,
});

/** Charged its whole hold; its answer, if any, is unknown. */
const abandoned = (id: string, over: Partial<BookedRequest> = {}): BookedRequest =>
  booked(id, { responseId: null, mode: 'ABANDONED', exact: false, nanoUsd: 2n * COST, ...over });

const line = (request: string, nanoUsd = COST): BillLine => ({
  id: `answer-of-${request}`,
  nanoUsd,
});

const CLEAN: Judgement = {
  lost: 0,
  lostNanoUsd: 0n,
  lostIds: [],
  duplicates: 0,
  abandoned: 0,
  compared: 2,
  differing: 0,
  differenceNanoUsd: 0n,
  estimated: 0,
  estimatedDifferenceNanoUsd: 0n,
  spentNanoUsd: 2n * COST,
  shortfallNanoUsd: 0n,
};

const answers = [answer('a'), answer('b')];
const bill = [line('a'), line('b')];

test('books with each answer once, at its price, have no breach', () => {
  expect(judge(answers, [booked('a'), booked('b')], bill)).toEqual(CLEAN);
});

test('a complete answer without a record is lost, and so is its line of the bill', () => {
  expect(judge(answers, [booked('a')], bill)).toMatchObject({
    lost: 1,
    lostIds: ['b', 'answer-of-b'],
    lostNanoUsd: COST,
  });
});

test('a complete answer without a record is lost, even without a line of the bill', () => {
  const judged = judge(answers, [booked('a')], [line('a')]);
  expect(judged).toMatchObject({ lost: 1, lostIds: ['b'], lostNanoUsd: 0n });
});

test('an answer without the id of its request is lost', () => {
  expect(judge([answer('')], [booked('a')], [line('a')])).toMatchObject({ lost: 1, lostIds: [''] });
});

test('a line of the bill without a record is lost, even without an answer to a caller', () => {
  const cut = [answer('a'), answer('', { status: 0, complete: false })];
  expect(judge(cut, [booked('a')], bill)).toMatchObject({
    lost: 1,
    lostIds: ['answer-of-b'],
    lostNanoUsd: COST,
  });
});

test.each([
  ['was refused', { status: 503 }],
  ['broke off', { complete: false }],
])('an answer that %s needs no record if it was not billed', (_, over) => {
  expect(judge([answer('a'), answer('b', over)], [booked('a')], [line('a')])).toEqual({
    ...CLEAN,
    compared: 1,
    spentNanoUsd: COST,
  });
});

test('two records of one answer are a duplicate, and overcharged by the second', () => {
  const twice = booked('c', { responseId: 'answer-of-a' });
  expect(judge(answers, [booked('a'), booked('b'), twice], bill)).toMatchObject({
    duplicates: 1,
    differing: 1,
    differenceNanoUsd: COST,
  });
});

test.each([1n, -1n])('a difference of %s nano-USD is found', (off) => {
  const books = [booked('a', { nanoUsd: COST + off }), booked('b')];
  expect(judge(answers, books, bill)).toEqual({
    ...CLEAN,
    differing: 1,
    differenceNanoUsd: off,
    spentNanoUsd: 2n * COST + off,
  });
});

test('two differences that cancel each other out count as two', () => {
  const books = [booked('a', { nanoUsd: COST + 1n }), booked('b', { nanoUsd: COST - 1n })];
  expect(judge(answers, books, bill)).toEqual({ ...CLEAN, differing: 2 });
});

test('an exact record without a bill differs by its whole amount', () => {
  expect(judge(answers, [booked('a'), booked('b')], [line('a')])).toMatchObject({
    lost: 0,
    differing: 1,
    differenceNanoUsd: COST,
  });
});

test('usage counted by the gateway is separate, and is not compared', () => {
  const books = [booked('a'), booked('b', { exact: false, nanoUsd: COST + 5n })];
  expect(judge(answers, books, bill)).toEqual({
    ...CLEAN,
    compared: 1,
    estimated: 1,
    estimatedDifferenceNanoUsd: 5n,
    spentNanoUsd: 2n * COST + 5n,
  });
});

test('an abandoned request explains one unnamed line of the bill, and no second one', () => {
  const cut = [answer('a'), answer('', { status: 0, complete: false })];
  const books = [booked('a'), abandoned('b')];
  expect(judge(cut, books, bill)).toMatchObject({ lost: 0, abandoned: 1, differing: 0 });
  // Which of the two it was is unknown; the smaller one is certainly lost.
  expect(judge(cut, books, [...bill, line('c', COST - 1n)])).toMatchObject({
    lost: 1,
    lostIds: ['answer-of-c'],
    lostNanoUsd: COST - 1n,
  });
});

test('late truth explains a line of the same amount', () => {
  const cut = [answer('a'), answer('', { status: 0, complete: false })];
  const late = abandoned('b', { corrected: true, nanoUsd: COST });
  expect(judge(cut, [booked('a'), late], bill)).toMatchObject({ lost: 0, abandoned: 0 });
});

test('late truth of another amount explains no line', () => {
  const cut = [answer('a'), answer('', { status: 0, complete: false })];
  const late = abandoned('b', { corrected: true, nanoUsd: COST - 1n });
  expect(judge(cut, [booked('a'), late], bill)).toMatchObject({
    lost: 1,
    lostIds: ['answer-of-b'],
    abandoned: 0,
  });
});

test('late truth explains one line, even if two have its amount', () => {
  const late = abandoned('c', { corrected: true, nanoUsd: COST });
  expect(judge([], [late], bill)).toMatchObject({ lost: 1, lostIds: ['answer-of-b'] });
});

test('spend and excess over estimates are sums over all records', () => {
  const books = [booked('a', { shortfallNanoUsd: 3n }), abandoned('b', { shortfallNanoUsd: 4n })];
  expect(judge([answer('a')], books, [line('a')])).toMatchObject({
    spentNanoUsd: 3n * COST,
    shortfallNanoUsd: 7n,
  });
});
