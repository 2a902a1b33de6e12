// Actions that an address names: `?do=new` opens the form of a list's page, `?do=revoke&on=ID` asks about one row. The
// palette links to them.

export const DO = 'do';
export const ON = 'on';
export const NEW = 'new';

/**
 * Actions on a row, by the word in the address, with the label in the row's menu. Each of them asks first: an address from
 * elsewhere must not change anything by itself.
 */
export const ROW_ACTIONS = {
  'turn-off': 'Turn off',
  pause: 'Pause',
  revoke: 'Revoke',
} as const;
export type RowAction = keyof typeof ROW_ACTIONS;

/** The label of a row's action that the address names; undefined for any other word. */
export function rowActionLabel(word: string | undefined): string | undefined {
  return word !== undefined && Object.hasOwn(ROW_ACTIONS, word)
    ? ROW_ACTIONS[word as RowAction]
    : undefined;
}
