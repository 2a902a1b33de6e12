/**
 * The summed columns of records and adjustments when migrations 14 and 16 were written. It never
 * changes: the tables of that time have no others.
 */
export const AMOUNTS_OF_14 = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'output_tokens',
  'audio_output_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'upstream_ms',
] as const;

/** The columns of what was called, likewise. */
export const SERVED_OF_14 = ['model_id', 'provider_id'] as const;
