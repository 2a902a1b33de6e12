import { createdText, guardOf } from './use-save';

test('what is new is made once: it carries the idempotency key', () => {
  expect(guardOf(undefined, 'k1')).toEqual({ idempotencyKey: 'k1' });
});

test('a change carries the ETag it was read with and no idempotency key', () => {
  expect(guardOf({ etag: '"3"' }, 'k1')).toEqual({ ifMatch: '"3"' });
});

test('a change of something without an ETag is not bound to one', () => {
  expect(guardOf({ etag: undefined }, 'k1')).toEqual({});
});

test('a new thing is told by its name', () => {
  expect(createdText({ name: 'Research' })).toBe('Research created.');
});
