/** The parts of the users page, for its server and its components alike. */
export const USER_TABS = [
  { value: 'users', label: 'Users' },
  { value: 'invitations', label: 'Invitations' },
] as const;
