import { admitted, MAX_IMAGE_BYTES, MAX_IMAGES, partsOf } from './images';

const png = { type: 'image/png', size: 10 };

test('pictures are taken until there are as many as a message may have', () => {
  expect(admitted(0, [png])).toEqual({ files: [png], problem: undefined });
  expect(admitted(MAX_IMAGES - 1, [png, png])).toEqual({
    files: [png],
    problem: 'A message has 4 pictures at most.',
  });
});

test('what is too large or no picture is left out and said', () => {
  const large = { ...png, size: MAX_IMAGE_BYTES + 1 };
  expect(admitted(0, [large, png])).toEqual({
    files: [png],
    problem: 'A picture can have at most 2 MiB.',
  });
  expect(admitted(0, [{ type: 'image/svg+xml', size: 1 }])).toEqual({
    files: [],
    problem: 'Pictures are PNG, JPEG, WebP or GIF files.',
  });
});

test('a data URL is its type and its base64', () => {
  expect(partsOf({ name: 'a', url: 'data:image/webp;base64,AAA=' })).toEqual({
    type: 'image/webp',
    data: 'AAA=',
  });
});
