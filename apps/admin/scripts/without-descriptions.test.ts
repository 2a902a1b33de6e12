import withoutDescriptions from './without-descriptions.cjs';

test.each([
  ["z.string().max(5).meta({ description: 'A name.' })", 'z.string().max(5)'],
  [
    "// é: bytes are not characters\nconst a = z.object({ b: z.int().meta({ id: 'B' }).optional() }).meta({ description: `c) ${d}` });",
    '// é: bytes are not characters\nconst a = z.object({ b: z.int().optional() });',
  ],
  [
    "const a = endpoint({ id: 'a', tag, summary: 'é: list', method: 'GET', path: `${root}/a` });",
    "const a = endpoint({ id: 'a', method: 'GET', path: `${root}/a` });",
  ],
  [
    "const a = endpoint({ id: 'a', tag: 'A', summary: 'x', ...shared, etag: true });",
    "const a = endpoint({ id: 'a', ...shared, etag: true });",
  ],
  ["const a = other({ summary: 'x', b: 1 });", undefined],
  ["// .meta( in a comment\nconst text: string = '.meta(';", undefined],
  ['const meta = (): number => 1;\nmeta();', undefined],
])('%s', (source, expected) => {
  expect(withoutDescriptions(source)).toBe(expected ?? source);
  // swc keeps counting positions across files.
  expect(withoutDescriptions(source)).toBe(expected ?? source);
});
