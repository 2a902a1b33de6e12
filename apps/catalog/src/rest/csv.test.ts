import { csvLine } from './csv';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=1+1', `'=1+1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\t=1', `'\t=1`],
  ['  =cmd|x', `'  =cmd|x`],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
])('the text %j is written as %j', (text, written) => {
  expect(csvLine([text])).toBe(`${written}\r\n`);
});

test('numbers, amounts, truth and nothing are written as they are', () => {
  expect(csvLine([-1, true, null, { amount: '-0.25' }])).toBe('-1,true,,-0.25\r\n');
});
