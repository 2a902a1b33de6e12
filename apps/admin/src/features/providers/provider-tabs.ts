/** The parts of a provider's page, for its server and its components alike. */
export const PROVIDER_TABS = [
  { value: 'keys', label: 'Keys' },
  { value: 'models', label: 'Models' },
  { value: 'health', label: 'Health' },
] as const;
