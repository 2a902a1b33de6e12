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
