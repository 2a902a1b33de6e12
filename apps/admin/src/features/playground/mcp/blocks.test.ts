import { blockOf } from './blocks';

const PNG = 'iVBORw0KGgo=';

test.each([
  [
    { type: 'text', text: 'hi' },
    { kind: 'text', text: 'hi' },
  ],
  [
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { kind: 'image', url: `data:image/png;base64,${PNG}` },
  ],
  [
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { kind: 'binary', what: 'Audio', type: 'audio/wav', bytes: 3 },
  ],
  [
    { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'A file' },
    { kind: 'link', uri: 'file:///a', title: 'A file', description: undefined },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///a', text: 'content' } },
    { kind: 'resource', uri: 'file:///a', text: 'content' },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAAAAAA' } },
    { kind: 'binary', what: 'Resource file:///b', type: 'unknown type', bytes: 6 },
  ],
])('%j', (raw, block) => {
  expect(blockOf(raw)).toEqual(block);
});

test.each([
  { type: 'image', data: PNG, mimeType: 'image/svg+xml' },
  { type: 'image', data: '" onload="x', mimeType: 'image/png' },
])('a picture that could run something is not shown: %j', (raw) => {
  expect(blockOf(raw).kind).toBe('binary');
});

test.each([{ type: 'later', value: 1 }, { type: 'text' }, {}])(
  'a block of another form is shown as JSON: %j',
  (raw) => {
    expect(blockOf(raw)).toEqual({ kind: 'other', json: JSON.stringify(raw, undefined, 2) });
  },
);
