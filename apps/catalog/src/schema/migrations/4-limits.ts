import { defineMigration } from './define-migration';

/** Caps, what their windows have seen, and holds as last reported. */
export const limits = defineMigration(
  'Limits1764000000004',
  `
  CREATE TABLE budget (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    scope_type text NOT NULL,
    scope_id uuid NOT NULL,
    period text NOT NULL,
    limit_nano_usd bigint NOT NULL,
    mode text NOT NULL DEFAULT 'HARD',
    clamp_to_budget boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT budget_pkey PRIMARY KEY (id),
    CONSTRAINT budget_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT budget_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT budget_limit_nano_usd_check CHECK (limit_nano_usd BETWEEN 0 AND 9000000000000000),
    CONSTRAINT budget_status_check CHECK (status IN ('ACTIVE', 'DISABLED')),
    CONSTRAINT budget_mode_check CHECK (mode IN ('HARD', 'SOFT')),
    CONSTRAINT budget_period_check CHECK (period IN ('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY')),
    CONSTRAINT budget_scope_type_check
      CHECK (scope_type IN ('ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL'))
  );
  CREATE INDEX budget_scope_id_idx ON budget (scope_id);

  CREATE TABLE budget_window (
    budget_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    organisation_id uuid NOT NULL,
    spent_nano_usd bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT budget_window_pkey PRIMARY KEY (budget_id, starts_at, ends_at),
    CONSTRAINT budget_window_organisation_id_budget_id_fkey
      FOREIGN KEY (organisation_id, budget_id)
      REFERENCES budget (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT budget_window_span_check CHECK (starts_at < ends_at)
  );

  CREATE TABLE quota (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    scope_type text NOT NULL,
    scope_id uuid NOT NULL,
    metric text NOT NULL,
    period text,
    window_seconds integer,
    limit_amount bigint NOT NULL,
    mode text NOT NULL DEFAULT 'HARD',
    status text NOT NULL DEFAULT 'ACTIVE',
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT quota_pkey PRIMARY KEY (id),
    CONSTRAINT quota_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT quota_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT quota_limit_amount_check CHECK (limit_amount BETWEEN 0 AND 9000000000000000),
    CONSTRAINT quota_status_check CHECK (status IN ('ACTIVE', 'DISABLED')),
    CONSTRAINT quota_mode_check CHECK (mode IN ('HARD', 'SOFT')),
    CONSTRAINT quota_window_check
      CHECK ((period IS NULL) <> (window_seconds IS NULL) AND coalesce(window_seconds, 1) > 0),
    CONSTRAINT quota_period_check CHECK (period IN ('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY')),
    CONSTRAINT quota_metric_check
      CHECK (metric IN ('REQUESTS', 'TOKENS', 'TOKENS_IN', 'TOKENS_OUT', 'ERRORS', 'COST', 'LATENCY_MS')),
    CONSTRAINT quota_scope_type_check
      CHECK (scope_type IN ('ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL'))
  );
  CREATE INDEX quota_scope_id_idx ON quota (scope_id);

  CREATE TABLE quota_window (
    quota_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    organisation_id uuid NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT quota_window_pkey PRIMARY KEY (quota_id, starts_at, ends_at),
    CONSTRAINT quota_window_organisation_id_quota_id_fkey
      FOREIGN KEY (organisation_id, quota_id)
      REFERENCES quota (organisation_id, id) ON DELETE CASCADE,
    CONSTRAINT quota_window_span_check CHECK (starts_at < ends_at)
  );

  CREATE TABLE rate_limit (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    scope_type text NOT NULL,
    scope_id uuid NOT NULL,
    requests_per_minute integer,
    tokens_per_minute bigint,
    concurrent_requests integer,
    mode text NOT NULL DEFAULT 'HARD',
    status text NOT NULL DEFAULT 'ACTIVE',
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT rate_limit_pkey PRIMARY KEY (id),
    CONSTRAINT rate_limit_organisation_id_id_key UNIQUE (organisation_id, id),
    CONSTRAINT rate_limit_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id),
    CONSTRAINT rate_limit_amounts_check
      CHECK (requests_per_minute >= 0 AND tokens_per_minute BETWEEN 0 AND 9000000000000000 AND concurrent_requests >= 0),
    CONSTRAINT rate_limit_some_check
      CHECK (coalesce(requests_per_minute::bigint, tokens_per_minute, concurrent_requests::bigint) IS NOT NULL),
    CONSTRAINT rate_limit_status_check CHECK (status IN ('ACTIVE', 'DISABLED')),
    CONSTRAINT rate_limit_mode_check CHECK (mode IN ('HARD', 'SOFT')),
    CONSTRAINT rate_limit_scope_type_check
      CHECK (scope_type IN ('ORGANISATION', 'TEAM', 'USER', 'API_KEY', 'MODEL'))
  );
  CREATE INDEX rate_limit_scope_id_idx ON rate_limit (scope_id);

  CREATE TABLE budget_request (
    request_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    team_id uuid,
    user_id uuid,
    api_key_id uuid NOT NULL,
    model_id uuid,
    state text NOT NULL,
    authorised_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL,
    ended_at timestamptz,
    version bigint NOT NULL,
    resolved_at timestamptz,
    resolved_by uuid,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT budget_request_pkey PRIMARY KEY (request_id),
    CONSTRAINT budget_request_state_check
      CHECK (state IN ('HELD', 'SETTLED', 'CANCELLED', 'ABANDONED', 'RESOLVED'))
  );
  CREATE INDEX budget_request_organisation_id_state_authorised_at_idx
    ON budget_request (organisation_id, state, authorised_at);

  CREATE TABLE budget_reservation (
    request_id uuid NOT NULL,
    budget_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    window_starts_at timestamptz NOT NULL,
    held_nano_usd bigint NOT NULL,
    spent_nano_usd bigint NOT NULL,
    CONSTRAINT budget_reservation_pkey PRIMARY KEY (request_id, budget_id),
    CONSTRAINT budget_reservation_request_id_fkey
      FOREIGN KEY (request_id) REFERENCES budget_request (request_id) ON DELETE CASCADE
  );
  CREATE INDEX budget_reservation_budget_id_window_starts_at_idx
    ON budget_reservation (budget_id, window_starts_at);

  CREATE TABLE quota_reservation (
    request_id uuid NOT NULL,
    quota_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    window_starts_at timestamptz NOT NULL,
    held bigint NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT quota_reservation_pkey PRIMARY KEY (request_id, quota_id),
    CONSTRAINT quota_reservation_request_id_fkey
      FOREIGN KEY (request_id) REFERENCES budget_request (request_id) ON DELETE CASCADE
  );
  CREATE INDEX quota_reservation_quota_id_window_starts_at_idx
    ON quota_reservation (quota_id, window_starts_at);

  -- A scope is one of five tables' ids, so a foreign key cannot guard it.
  CREATE FUNCTION limit_guard_scope() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    known boolean;
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      IF (NEW.organisation_id, NEW.scope_type, NEW.scope_id)
         IS DISTINCT FROM (OLD.organisation_id, OLD.scope_type, OLD.scope_id) THEN
        RAISE EXCEPTION 'the scope of a limit never changes' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    known := CASE NEW.scope_type
      WHEN 'ORGANISATION' THEN NEW.scope_id = NEW.organisation_id
      WHEN 'TEAM' THEN EXISTS (
        SELECT FROM team t WHERE t.id = NEW.scope_id AND t.organisation_id = NEW.organisation_id)
      WHEN 'USER' THEN EXISTS (
        SELECT FROM user_account u
        WHERE u.id = NEW.scope_id AND u.organisation_id = NEW.organisation_id)
      WHEN 'API_KEY' THEN EXISTS (
        SELECT FROM api_key k WHERE k.id = NEW.scope_id AND k.organisation_id = NEW.organisation_id)
      WHEN 'MODEL' THEN EXISTS (
        SELECT FROM model m WHERE m.id = NEW.scope_id AND m.organisation_id = NEW.organisation_id)
      ELSE false END;
    IF NOT known THEN
      RAISE EXCEPTION 'scope % % is not of organisation %',
        NEW.scope_type, NEW.scope_id, NEW.organisation_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER budget_guard_scope BEFORE INSERT OR UPDATE ON budget
    FOR EACH ROW EXECUTE FUNCTION limit_guard_scope();
  CREATE TRIGGER quota_guard_scope BEFORE INSERT OR UPDATE ON quota
    FOR EACH ROW EXECUTE FUNCTION limit_guard_scope();
  CREATE TRIGGER rate_limit_guard_scope BEFORE INSERT OR UPDATE ON rate_limit
    FOR EACH ROW EXECUTE FUNCTION limit_guard_scope();

  -- The windows of a quota are sums of its metric.
  CREATE FUNCTION quota_guard_metric() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the metric of a quota never changes' USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER quota_guard_metric BEFORE UPDATE OF metric ON quota
    FOR EACH ROW WHEN (NEW.metric IS DISTINCT FROM OLD.metric) EXECUTE FUNCTION quota_guard_metric();
`,
  `
  DROP TABLE quota_reservation;
  DROP TABLE budget_reservation;
  DROP TABLE budget_request;
  DROP TABLE rate_limit;
  DROP TABLE quota_window;
  DROP TABLE quota;
  DROP TABLE budget_window;
  DROP TABLE budget;
  DROP FUNCTION quota_guard_metric();
  DROP FUNCTION limit_guard_scope();
`,
);
