import { defineMigration } from './define-migration';

/**
 * Decisions with what they are made of, and how many an organisation has kept on a day. The release before leaves
 * the columns out of its INSERTs, so they have defaults.
 */
export const keptDecisions = defineMigration(
  'KeptDecisions1764000000059',
  `
  ALTER TABLE organisation ADD COLUMN keep_decisions text NOT NULL DEFAULT 'REFUSED',
    ADD COLUMN keep_decisions_days integer NOT NULL DEFAULT 7,
    ADD CONSTRAINT organisation_keep_decisions_check CHECK (keep_decisions IN ('OFF', 'REFUSED', 'ALL')),
    ADD CONSTRAINT organisation_keep_decisions_days_check CHECK (keep_decisions_days BETWEEN 1 AND 90);

  CREATE TABLE request_decision (
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    request_id uuid NOT NULL,
    decided_at timestamptz NOT NULL,
    api_key_id uuid NOT NULL,
    model text NOT NULL,
    operation text NOT NULL,
    decision jsonb NOT NULL,
    PRIMARY KEY (organisation_id, request_id)
  );
  CREATE INDEX request_decision_organisation_id_decided_at_idx
    ON request_decision (organisation_id, decided_at);

  CREATE TABLE request_decision_day (
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    day date NOT NULL,
    kept integer NOT NULL,
    dropped bigint NOT NULL,
    is_full boolean NOT NULL,
    PRIMARY KEY (organisation_id, day),
    CONSTRAINT request_decision_day_kept_check CHECK (kept >= 0),
    CONSTRAINT request_decision_day_dropped_check CHECK (dropped >= 0)
  );
`,
  `
  DROP TABLE request_decision_day;
  DROP TABLE request_decision;
  ALTER TABLE organisation DROP COLUMN keep_decisions_days, DROP COLUMN keep_decisions;
`,
);
