import { namedItems } from './named-items';

// Which ids of stored items policy is asked about.

test.each([
  ['text', 'msg_1', {}],
  ['items with their content', [{ role: 'user', content: 'Hi', id: 'msg_1' }], {}],
  ['a reference', [{ type: 'item_reference', id: 'msg_1' }], { itemIds: ['msg_1'] }],
  ['a reference without a type', [{ id: 'msg_1' }], { itemIds: ['msg_1'] }],
  ['one whose type is null', [{ type: null, id: 'msg_1' }], { itemIds: ['msg_1'] }],
  ['the same twice', [{ id: 'msg_1' }, { id: 'msg_1' }], { itemIds: ['msg_1'] }],
  ['reasoning without content', [{ type: 'reasoning', id: 'rs_1' }], { replayedItemIds: ['rs_1'] }],
  ['reasoning with an empty id', [{ type: 'reasoning', id: '', summary: [] }], {}],
  ['sealed reasoning', [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'x' }], {}],
  ['reasoning in full', [{ type: 'reasoning', id: 'rs_1', content: [{ text: 'Hm' }] }], {}],
  [
    'an image by its id',
    [{ type: 'image_generation_call', id: 'ig_1' }],
    { replayedItemIds: ['ig_1'] },
  ],
  ['a call of a function', [{ type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f' }], {}],
])('%s', (_, input, named) => {
  expect(namedItems(input)).toEqual(named);
});

test.each([
  [[{ role: 'user', content: 'Hi' }, { type: 'item_reference' }], 'input[1].id'],
  [[{ type: 'item_reference', id: 7 }], 'input[0].id'],
  [[{ type: 'item_reference', id: 'x'.repeat(257) }], 'input[0].id'],
  [Array.from({ length: 1_025 }, (_, n) => ({ id: `msg_${n}` })), 'input'],
  [Array.from({ length: 1_025 }, (_, n) => ({ type: 'reasoning', id: `rs_${n}` })), 'input'],
])('what cannot be asked about is refused: %.60j', (input, param) => {
  expect(() => namedItems(input)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param }),
  );
});
