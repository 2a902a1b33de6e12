/** The parts of the ledger's page, for its server and its components alike. */
export const LEDGER_TABS = [
  { value: 'quarantine', label: 'Quarantine' },
  { value: 'abandoned', label: 'Abandoned' },
  { value: 'corrections', label: 'Corrections' },
  { value: 'rerates', label: 'Re-ratings' },
] as const;

/** Those that are of one organisation at a time. */
export const OF_ONE_ORGANISATION: readonly string[] = ['corrections', 'rerates'];
