import { defineMigration } from './define-migration';

/** Which soft limits have been passed in which window, so that each makes one audit event. */
export const softLimits = defineMigration(
  'SoftLimits1764000000011',
  `
  CREATE TABLE soft_limit_event (
    limit_id text NOT NULL,
    window_starts_at timestamptz NOT NULL,
    window_ends_at timestamptz NOT NULL,
    organisation_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT soft_limit_event_pkey PRIMARY KEY (limit_id, window_starts_at),
    CONSTRAINT soft_limit_event_span_check CHECK (window_starts_at < window_ends_at)
  );
  CREATE INDEX soft_limit_event_window_ends_at_idx ON soft_limit_event (window_ends_at);
`,
  `
  DROP TABLE soft_limit_event;
`,
);
