import { ApiError } from '../api/rest-client';
import { fieldError } from '../design/field-error';
import { fieldsOf } from './use-form';

const draft = { name: 'Search', weight: '1' };
const wrong = new ApiError(422, 'validation_failed', 'Invalid.', [
  { path: 'steps[0].weight', message: 'too small' },
]);

test('a field changes its own part of the draft and no other', () => {
  const changes: object[] = [];
  const field = fieldsOf({ draft, error: undefined, onChange: (part) => changes.push(part) });
  expect(field('name')).toMatchObject({ value: 'Search', error: undefined });
  field('weight').onChange('2');
  expect(changes).toEqual([{ weight: '2' }]);
});

test('a field shows what the server says about it, where its form names the path', () => {
  const of = { draft, error: wrong, onChange: () => undefined };
  expect(fieldsOf(of)('weight').error).toBeUndefined();
  const field = fieldsOf(of, (name) => fieldError(wrong, `steps[0].${name}`));
  expect(field('weight').error).toBe('too small');
  expect(field('name').error).toBeUndefined();
});
