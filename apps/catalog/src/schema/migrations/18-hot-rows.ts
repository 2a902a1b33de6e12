import { defineMigration } from './define-migration';

/**
 * Rows that are added to again and again keep room on their page, so that their indexes are left alone;
 * and what names no team or user is not in the indexes by team and user. The release before notices
 * neither.
 */
export const hotRows = defineMigration(
  'HotRows1764000000018',
  `
  ALTER TABLE usage SET (fillfactor = 70);
  ALTER TABLE usage_period SET (fillfactor = 70);
  ALTER TABLE budget_window SET (fillfactor = 50);
  ALTER TABLE quota_window SET (fillfactor = 50);

  DROP INDEX usage_record_team_id_authorised_at_id_idx;
  CREATE INDEX usage_record_team_id_authorised_at_id_idx
    ON usage_record (team_id, authorised_at, id) WHERE team_id IS NOT NULL;
  DROP INDEX usage_record_user_id_authorised_at_id_idx;
  CREATE INDEX usage_record_user_id_authorised_at_id_idx
    ON usage_record (user_id, authorised_at, id) WHERE user_id IS NOT NULL;
  DROP INDEX usage_period_team_idx;
  CREATE INDEX usage_period_team_idx
    ON usage_period (team_id, period, starts) WHERE owners AND team_id IS NOT NULL;
  DROP INDEX usage_period_user_idx;
  CREATE INDEX usage_period_user_idx
    ON usage_period (user_id, period, starts) WHERE owners AND user_id IS NOT NULL;
`,
  `
  DROP INDEX usage_period_user_idx;
  CREATE INDEX usage_period_user_idx ON usage_period (user_id, period, starts) WHERE owners;
  DROP INDEX usage_period_team_idx;
  CREATE INDEX usage_period_team_idx ON usage_period (team_id, period, starts) WHERE owners;
  DROP INDEX usage_record_user_id_authorised_at_id_idx;
  CREATE INDEX usage_record_user_id_authorised_at_id_idx
    ON usage_record (user_id, authorised_at, id);
  DROP INDEX usage_record_team_id_authorised_at_id_idx;
  CREATE INDEX usage_record_team_id_authorised_at_id_idx
    ON usage_record (team_id, authorised_at, id);

  ALTER TABLE quota_window RESET (fillfactor);
  ALTER TABLE budget_window RESET (fillfactor);
  ALTER TABLE usage_period SET (fillfactor = 85);
  ALTER TABLE usage RESET (fillfactor);
`,
);
