/** What rules about personal data find. */
export const PERSONAL_DATA_TYPES = [
  'EMAIL',
  'PHONE',
  'CARD',
  'IBAN',
  'NATIONAL_ID',
  'IP_ADDRESS',
] as const;
export type PersonalDataType = (typeof PERSONAL_DATA_TYPES)[number];

/** Logs and code are full of IP addresses, so those are found on request only. */
export const DEFAULT_PERSONAL_DATA = PERSONAL_DATA_TYPES.filter((type) => type !== 'IP_ADDRESS');
