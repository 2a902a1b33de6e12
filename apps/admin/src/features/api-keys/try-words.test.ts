import { TRY_FORMATS } from '../../api/dry-run';
import { bodyFor, bodyIn, FORMAT_CHOICES } from './try-words';

test('every format has a body to begin with', () => {
  expect(FORMAT_CHOICES.map(({ value }) => value)).toEqual([...TRY_FORMATS]);
  for (const format of TRY_FORMATS) expect(bodyIn(bodyFor(format, 'm'))).toBeDefined();
});

test('a body that is no object is not sent', () => {
  for (const text of ['', 'no', '[]', 'null', '3']) expect(bodyIn(text)).toBeUndefined();
});
