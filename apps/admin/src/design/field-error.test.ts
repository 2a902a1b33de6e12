import { z } from 'zod';

import { ApiError } from '../api/rest-client';
import { fieldError, hasOtherErrors } from './field-error';

const error = new ApiError(422, 'validation_failed', 'Invalid.', [
  { path: 'name', message: 'too short' },
  { path: 'name', message: 'taken' },
  { path: 'modelIds[2]', message: 'no such model' },
]);

test('a field has what the server says about it and its parts', () => {
  expect(fieldError(error, 'name')).toBe('too short; taken');
  expect(fieldError(error, 'modelIds')).toBe('no such model');
  expect(fieldError(error, 'type')).toBeUndefined();
  expect(fieldError(undefined, 'name')).toBeUndefined();
});

test('what no field shows is still to be shown', () => {
  expect(hasOtherErrors(error, ['name', 'modelIds'])).toBe(false);
  expect(hasOtherErrors(error, ['name'])).toBe(true);
  expect(hasOtherErrors(new ApiError(403, 'forbidden', 'No.'), ['name'])).toBe(true);
});

test.each([
  [z.string().min(1), '', 'This field is required.'],
  [z.array(z.string()).min(1), [], 'Choose at least one.'],
  [z.uuid(), '', 'Choose one.'],
  [z.email(), 'ada', 'Enter a valid email address.'],
  [z.url(), 'example', 'Enter a URL that begins with https:// or http://.'],
  [z.string().max(3), 'four', 'Too big: expected string to have <=3 characters'],
])('what a schema says of nothing given is said to people (%#)', (schema, value, words) => {
  const message = schema.safeParse(value).error?.issues[0]?.message ?? '';
  const refused = new ApiError(400, 'invalid_request', 'No.', [{ path: 'field', message }]);
  expect(fieldError(refused, 'field')).toBe(words);
});
