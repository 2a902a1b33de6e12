import { defineMigration } from './define-migration';

/**
 * How many values of a limit alerts have told of in its window. An alert is removed by retention, which may be shorter
 * than the window. A window that runs during the upgrade may have one more alert.
 */
export const toldValues = defineMigration(
  'ToldValues1764000000061',
  `
  CREATE TABLE alert_told_values (
    rule_id uuid NOT NULL,
    subject_id text NOT NULL,
    window_starts_at timestamptz NOT NULL,
    window_ends_at timestamptz NOT NULL,
    threshold integer NOT NULL,
    limit_amount bigint NOT NULL,
    value_count integer NOT NULL,
    CONSTRAINT alert_told_values_pkey
      PRIMARY KEY (rule_id, subject_id, window_starts_at, threshold, limit_amount),
    CONSTRAINT alert_told_values_rule_id_fkey
      FOREIGN KEY (rule_id) REFERENCES alert_rule (id) ON DELETE CASCADE
  );
  CREATE INDEX alert_told_values_window_ends_at_idx ON alert_told_values (window_ends_at);
`,
  `
  DROP TABLE alert_told_values;
`,
);
