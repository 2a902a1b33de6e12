/** The parts of the quotas page, for its server and its components alike. */
export const QUOTA_TABS = [
  { value: 'quotas', label: 'Quotas' },
  { value: 'rates', label: 'Rate limits' },
] as const;
