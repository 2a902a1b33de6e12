/** The parts of the usage page; single requests are those of one organisation. */
export const USAGE_TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'requests', label: 'Requests' },
] as const;
