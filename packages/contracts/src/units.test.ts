import { imageUnit, isUnit, unitQuantity, UNITS } from './units';

test('an image is counted by size and quality where the table has both, else as an image', () => {
  expect(imageUnit('1024x1024', 'hd')).toBe('image_hd_1024x1024');
  expect(imageUnit('auto', 'hd')).toBe('image');
  expect(imageUnit('1024x1024', 'splendid')).toBe('image');
});

test('every unit says what one of it is', () => {
  for (const sentence of Object.values(UNITS)) expect(sentence).toMatch(/^one /);
  expect(isUnit('audio_second')).toBe(true);
  expect(isUnit('constructor')).toBe(false);
});

test('a measured quantity becomes a plain decimal', () => {
  expect(unitQuantity(12.5)).toBe('12.5');
  expect(unitQuantity(100)).toBe('100');
  expect(unitQuantity(0)).toBe('0');
  expect(unitQuantity(0.1 + 0.2)).toBe('0.3');
  expect(unitQuantity(1e-12)).toBe('0');
  for (const wrong of [-1, NaN, Infinity, 1e21])
    expect(() => unitQuantity(wrong)).toThrow(RangeError);
});
