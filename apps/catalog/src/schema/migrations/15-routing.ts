import { defineMigration } from './define-migration';

/**
 * Routing policies become usable: the strategies by the words of the interface, timeouts, retries and
 * hedging; what models can do; and how upstreams do. The release before has no routing policies.
 */
export const routing = defineMigration(
  'Routing1764000000015',
  `
  ALTER TABLE routing_policy DROP CONSTRAINT routing_policy_strategy_check;
  UPDATE routing_policy SET strategy = lower(strategy);
  ALTER TABLE routing_policy
    ADD COLUMN timeouts jsonb NOT NULL
      DEFAULT '{"attemptMs":null,"connectMs":null,"firstTokenMs":null,"idleMs":null}',
    ADD COLUMN total_timeout_ms integer,
    ADD COLUMN retries integer NOT NULL DEFAULT 0,
    ADD COLUMN hedge_after_ms integer,
    ADD CONSTRAINT routing_policy_retries_check CHECK (retries >= 0),
    ADD CONSTRAINT routing_policy_strategy_check
      CHECK (strategy IN ('failover', 'priority', 'round_robin', 'weighted', 'lowest_latency', 'lowest_cost'));
  ALTER TABLE routing_policy ALTER COLUMN timeouts DROP DEFAULT;

  ALTER TABLE model ADD COLUMN capabilities jsonb;

  CREATE TABLE upstream_state (
    model_id uuid NOT NULL,
    provider_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    changed_at timestamptz NOT NULL,
    open_until timestamptz,
    expires_at timestamptz,
    cooldown_until timestamptz,
    attempts bigint NOT NULL,
    failures bigint NOT NULL,
    CONSTRAINT upstream_state_pkey PRIMARY KEY (model_id, provider_id),
    CONSTRAINT upstream_state_organisation_id_model_id_fkey FOREIGN KEY (organisation_id, model_id)
      REFERENCES model (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT upstream_state_organisation_id_provider_id_fkey
      FOREIGN KEY (organisation_id, provider_id)
      REFERENCES provider (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT upstream_state_state_check CHECK (state IN ('CLOSED', 'OPEN', 'HALF_OPEN'))
  );
  CREATE INDEX upstream_state_organisation_id_changed_at_model_id_idx
    ON upstream_state (organisation_id, changed_at, model_id);
`,
  `
  DROP TABLE upstream_state;
  ALTER TABLE model DROP COLUMN capabilities;
  UPDATE api_key SET routing_policy_id = NULL WHERE routing_policy_id IS NOT NULL;
  DELETE FROM routing_policy;
  ALTER TABLE routing_policy
    DROP CONSTRAINT routing_policy_strategy_check,
    DROP CONSTRAINT routing_policy_retries_check,
    DROP COLUMN timeouts,
    DROP COLUMN total_timeout_ms,
    DROP COLUMN retries,
    DROP COLUMN hedge_after_ms,
    ADD CONSTRAINT routing_policy_strategy_check
      CHECK (strategy IN ('FAILOVER', 'PRIORITY', 'ROUND_ROBIN'));
`,
);
