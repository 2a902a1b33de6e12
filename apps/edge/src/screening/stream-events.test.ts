import { createSseEvents } from './stream-events';

const read = (text: string): unknown[] =>
  createSseEvents()
    .push(Buffer.from(text))
    .map(({ json, unreadable }) => ({ json, unreadable }));

describe('events of a stream', () => {
  test.each([
    'data:{"a":1}\n\n',
    'data: {"a":1}\n\n',
    'data:  {"a":1} \n\n',
    'data:\ndata: {"a":1}\n\n',
  ])('JSON is read whatever space is around it: %j', (text) => {
    expect(read(text)).toEqual([{ json: { a: 1 }, unreadable: false }]);
  });

  test.each(['data: {"a":\n\n', 'data: [1]\n\n', 'data: words\n\n'])(
    'what is no object is unreadable: %j',
    (text) => {
      expect(read(text)).toEqual([{ json: undefined, unreadable: true }]);
    },
  );

  test.each([': ping\n\n', 'data: [DONE]\n\n', 'data:\n\n', 'event: done\n\n'])(
    'what has no text is neither: %j',
    (text) => {
      expect(read(text)).toEqual([{ json: undefined, unreadable: false }]);
    },
  );
});
